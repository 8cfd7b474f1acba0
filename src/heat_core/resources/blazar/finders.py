"""Leases by id (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import NoMatch, look_at

SERVICE = "reservation"


async def get_lease(io: ProcedureIO, value: str) -> str:
    """The id of a lease."""
    if await look_at(io, SERVICE, "/leases", value) is None:
        raise NoMatch("BlazarClientException", "ERROR: Lease not found")
    return value


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_lease": get_lease,
}
