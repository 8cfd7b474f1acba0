"""Ids of load balancing objects by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from heat_core.procedure import HttpCall, ProcedureIO
from heat_core.resources.finding import NoMatch

SERVICE = "load-balancer"


async def find_id(io: ProcedureIO, value: str, *, path: str) -> str:
    """The id of an object; the name must be that of one object alone."""
    answer = await io.request(
        HttpCall(
            "GET",
            SERVICE,
            f"/v2.0/lbaas/{path}/{quote(value, safe='')}",
            expect=frozenset({400, 404}),
        )
    )
    if answer.status < 400:
        return _id(next(iter(answer.body.values())))
    listed = await io.get(SERVICE, f"/v2.0/lbaas/{path}", {"name": value})
    match next(value for value in listed.values() if isinstance(value, list)):
        case [found] if found.get("name") == value:
            return _id(found)
    raise NoMatch("NotFound", f"{value} not found (HTTP 404)")


def _id(found: Mapping[str, Any]) -> str:
    """Availability zones have no id but their name."""
    return str(found.get("id") or found["name"])


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_availabilityzone": partial(find_id, path="availabilityzones"),
    "get_availabilityzoneprofile": partial(find_id, path="availabilityzoneprofiles"),
    "get_flavor": partial(find_id, path="flavors"),
    "get_flavorprofile": partial(find_id, path="flavorprofiles"),
    "get_l7policy": partial(find_id, path="l7policies"),
    "get_listener": partial(find_id, path="listeners"),
    "get_loadbalancer": partial(find_id, path="loadbalancers"),
    "get_pool": partial(find_id, path="pools"),
}
