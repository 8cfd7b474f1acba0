"""Flavors of databases by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.procedure import ProcedureIO
from heat_core.resources.failures import PluginFailure
from heat_core.resources.finding import NoMatch, look_at, named

SERVICE = "database"


async def find_flavor(io: ProcedureIO, value: str) -> str:
    """The id of a flavor."""
    found = await look_at(io, SERVICE, "/flavors", value)
    if found is not None:
        return str(found["flavor"]["id"])
    match named((await io.get(SERVICE, "/flavors"))["flavors"], value):
        case [flavor]:
            return str(flavor["id"])
        case []:
            raise NoMatch("NotFound", f"No Flavor matching { ({'name': value}) }. (HTTP 404)")
        case _:
            raise PluginFailure("NoUniqueMatch", "")


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "find_flavor_by_name_or_id": find_flavor,
}
