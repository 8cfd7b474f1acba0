"""Secrets and containers by reference (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import require

SERVICE = "key-manager"


async def get_secret(io: ProcedureIO, reference: str) -> str:
    """The reference of a secret; it ends with the secret's id."""
    await require(io, SERVICE, "/v1/secrets", _id_in(reference), "Secret")
    return reference


async def get_container(io: ProcedureIO, reference: str) -> str:
    """The reference of a container."""
    await require(io, SERVICE, "/v1/containers", _id_in(reference), "Container")
    return reference


def _id_in(reference: str) -> str:
    return reference.rstrip("/").rpartition("/")[2]


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_container_by_ref": get_container,
    "get_secret_by_ref": get_secret,
}
