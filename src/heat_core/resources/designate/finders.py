"""DNS zones by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.errors import EntityNotFound
from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import look_at

SERVICE = "dns"


async def get_zone(io: ProcedureIO, value: str) -> str:
    """The id of a zone."""
    found = await look_at(io, SERVICE, "/v2/zones", value)
    if found is not None:
        return str(found["id"])
    match (await io.get(SERVICE, "/v2/zones", {"name": value}))["zones"]:
        case [zone]:
            return str(zone["id"])
    raise EntityNotFound(entity="Designate Zone", name=value)


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_zone_id": get_zone,
}
