"""Ids of Cinder's objects by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.errors import EntityNotFound
from heat_core.procedure import ProcedureIO
from heat_core.resources.failures import PluginFailure
from heat_core.resources.finding import NoMatch, look_at, named, require

SERVICE = "volumev3"


async def get_volume(io: ProcedureIO, value: str) -> str:
    """The id of a volume."""
    await require(io, SERVICE, "/volumes", value, "Volume")
    return value


async def get_volume_snapshot(io: ProcedureIO, value: str) -> str:
    """The id of a snapshot."""
    await require(io, SERVICE, "/snapshots", value, "VolumeSnapshot")
    return value


async def get_volume_backup(io: ProcedureIO, value: str) -> str:
    """The id of a backup."""
    await require(io, SERVICE, "/backups", value, "Volume backup")
    return value


async def get_volume_type(io: ProcedureIO, value: str) -> str:
    """The id of a volume type."""
    for found in (await io.get(SERVICE, "/types", {"is_public": "None"}))["volume_types"]:
        if value in (found["name"], found["id"]):
            return str(found["id"])
    raise EntityNotFound(entity="VolumeType", name=value)


async def get_qos_specs(io: ProcedureIO, value: str) -> str:
    """The id of QoS specs."""
    found = await look_at(io, SERVICE, "/qos-specs", value)
    if found is not None:
        return str(found["qos_specs"]["id"])
    match named((await io.get(SERVICE, "/qos-specs"))["qos_specs"], value):
        case [specs]:
            return str(specs["id"])
        case []:
            raise NoMatch("NotFound", f"No QoSSpecs matching { ({'name': value}) }. (HTTP 404)")
        case _:
            raise PluginFailure("NoUniqueMatch", "")


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_qos_specs": get_qos_specs,
    "get_volume": get_volume,
    "get_volume_backup": get_volume_backup,
    "get_volume_snapshot": get_volume_snapshot,
    "get_volume_type": get_volume_type,
}
