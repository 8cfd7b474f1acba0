"""Nodes and port groups by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import require

SERVICE = "baremetal"


async def get_node(io: ProcedureIO, value: str) -> str:
    """The id of a node."""
    return str((await require(io, SERVICE, "/v1/nodes", value, "Node"))["uuid"])


async def get_portgroup(io: ProcedureIO, value: str) -> str:
    """The id of a port group."""
    return str((await require(io, SERVICE, "/v1/portgroups", value, "PortGroup"))["uuid"])


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_node": get_node,
    "get_portgroup": get_portgroup,
}
