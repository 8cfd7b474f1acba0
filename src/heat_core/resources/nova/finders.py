"""Ids of Nova's objects by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote

from heat_core.procedure import ProcedureIO
from heat_core.resources.failures import PluginFailure
from heat_core.resources.finding import NoMatch, look, look_at, named, require

SERVICE = "compute"


async def find_flavor(io: ProcedureIO, value: str) -> str:
    """The id of a flavor, public or private."""
    found = await look_at(io, SERVICE, "/flavors", value)
    if found is not None:
        return str(found["flavor"]["id"])
    listed = await io.get(SERVICE, "/flavors/detail", {"is_public": "None"})
    match named(listed["flavors"], value):
        case [flavor]:
            return str(flavor["id"])
        case []:
            raise NoMatch("NotFound", f"No Flavor matching { ({'name': value}) }. (HTTP 404)")
        case _:
            raise PluginFailure("NoUniqueMatch", "")


async def get_keypair(io: ProcedureIO, value: str) -> str:
    """The name of a key pair of the user's."""
    await require(io, SERVICE, "/os-keypairs", value, "Key")
    return value


async def get_server(io: ProcedureIO, value: str) -> str:
    """The id of a server."""
    await require(io, SERVICE, "/servers", value, "Server")
    return value


async def get_host(io: ProcedureIO, value: str) -> str:
    """The name of a compute host."""
    if await look(io, SERVICE, f"/os-hypervisors/{quote(value, safe='')}/search") is None:
        text = f"No hypervisor matching '{value}' could be found. (HTTP 404)"
        raise NoMatch("NotFound", text)
    return value


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "find_flavor_by_name_or_id": find_flavor,
    "get_host": get_host,
    "get_keypair": get_keypair,
    "get_server": get_server,
}
