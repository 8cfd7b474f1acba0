"""Cluster templates by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import require

SERVICE = "container-infra"


async def get_cluster_template(io: ProcedureIO, value: str) -> str:
    """The id of a cluster template."""
    found = await require(io, SERVICE, "/v1/clustertemplates", value, "ClusterTemplate")
    return str(found["uuid"])


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_cluster_template": get_cluster_template,
}
