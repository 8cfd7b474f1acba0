"""Steps that finders of ids are made of (facts/constraints.json, `lookup`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from heat_core.errors import EntityNotFound
from heat_core.procedure import HttpCall, ProcedureIO
from heat_core.resources.failures import PluginFailure


class NoMatch(PluginFailure):
    """Nothing, or too much, has that name; said in the words of the service's client library."""


async def look(io: ProcedureIO, service: str, path: str) -> Any:
    """The body of an answer, None when the service says that there is no such thing."""
    answer = await io.request(HttpCall("GET", service, path, expect=frozenset({404})))
    return None if answer.status == 404 else answer.body


async def look_at(io: ProcedureIO, service: str, collection: str, value: str) -> Any:
    """The same for a member of a collection; the value may have any character."""
    return await look(io, service, f"{collection}/{quote(value, safe='')}")


def named(objects: Iterable[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """The objects of exactly that name: services may be generous about case."""
    return [found for found in objects if found.get("name") == name]


async def require(
    io: ProcedureIO, service: str, collection: str, value: str, entity: str
) -> Mapping[str, Any]:
    """The object of that id. EntityNotFound with the entity's name in texts when there is none."""
    found = await look_at(io, service, collection, value)
    if found is None:
        raise EntityNotFound(entity=entity, name=value)
    body: Mapping[str, Any] = found
    return body
