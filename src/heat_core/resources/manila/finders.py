"""Ids of what shares are made of, by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from heat_core.errors import EntityNotFound
from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import NoMatch, named

SERVICE = "sharev2"


async def _find(io: ProcedureIO, value: str, *, path: str, key: str, entity: str) -> str:
    listed: list[Mapping[str, Any]] = (await io.get(SERVICE, path))[key]
    if any(found["id"] == value for found in listed):
        return value
    match named(listed, value):
        case [found]:
            return str(found["id"])
        case []:
            raise EntityNotFound(entity=entity, name=value)
        case _:
            text = (
                f"Ambiguous {entity} name '{value}'. "
                f"Found more than one {entity} for this name in Manila."
            )
            raise NoMatch("NoUniqueMatch", text)


get_share_network = partial(
    _find, path="/share-networks", key="share_networks", entity="share network"
)
get_share_snapshot = partial(_find, path="/snapshots", key="snapshots", entity="share snapshot")
get_share_type = partial(_find, path="/types", key="share_types", entity="share type")


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_share_network": get_share_network,
    "get_share_snapshot": get_share_snapshot,
    "get_share_type": get_share_type,
}
