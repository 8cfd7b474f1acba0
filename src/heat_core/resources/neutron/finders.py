"""Ids of Neutron's objects by id or name (facts/constraints.json)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from heat_core.errors import EntityNotFound
from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import NoMatch, look_at, named

SERVICE = "network"

_UUID = re.compile("[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}")

_PATHS: Mapping[str, tuple[str, str]] = {
    "address_scope": ("/address-scopes", "address_scopes"),
    "l7policy": ("/lbaas/l7policies", "l7policies"),
    "listener": ("/lbaas/listeners", "listeners"),
    "loadbalancer": ("/lbaas/loadbalancers", "loadbalancers"),
    "network": ("/networks", "networks"),
    "policy": ("/qos/policies", "policies"),
    "pool": ("/lbaas/pools", "pools"),
    "port": ("/ports", "ports"),
    "router": ("/routers", "routers"),
    "security_group": ("/security-groups", "security_groups"),
    "subnet": ("/subnets", "subnets"),
    "subnetpool": ("/subnetpools", "subnetpools"),
}
"""entity -> (path below the version, key of the list in the answer)"""

_EXTENSION_PATHS: Mapping[str, str] = {
    "flow_classifier": "/sfc/flow_classifiers",
    "port_chain": "/sfc/port_chains",
    "port_pair": "/sfc/port_pairs",
    "port_pair_group": "/sfc/port_pair_groups",
    "tap_flow": "/taas/tap_flows",
    "tap_service": "/taas/tap_services",
}


async def find_id(io: ProcedureIO, value: str, entity: str) -> str:
    """The id of an object; the name must be that of one object alone."""
    path, key = _PATHS[entity]
    if _UUID.match(value):
        found = await _list(io, path, key, id=value)
        if found:
            return str(found[0]["id"])
    return _only(await _list(io, path, key, name=value), value, entity)


async def find_extension_id(io: ProcedureIO, value: str, entity: str) -> str:
    """The same for objects of extensions, which cannot be filtered by the service."""
    path = f"/v2.0{_EXTENSION_PATHS[entity]}"
    found = await look_at(io, SERVICE, path, value)
    if found is not None:
        return str(found[entity]["id"])
    listed = await io.get(SERVICE, path)
    return _only(named(listed[f"{entity}s"], value), value, entity)


async def require_extension(io: ProcedureIO, alias: str) -> None:
    """Raise EntityNotFound unless the service has the extension."""
    listed = await io.get(SERVICE, "/v2.0/extensions")
    if all(extension["alias"] != alias for extension in listed["extensions"]):
        raise EntityNotFound(entity="neutron extension", name=alias)


async def find_segment(io: ProcedureIO, value: str) -> str:
    """The id of a segment of a network."""
    found = await look_at(io, SERVICE, "/v2.0/segments", value)
    if found is not None:
        return str(found["segment"]["id"])
    match await _list(io, "/segments", "segments", name=value):
        case [segment]:
            return str(segment["id"])
        case []:
            raise NoMatch("NotFoundException", f"No Segment found for {value}")
        case _:
            text = f"More than one Segment exists with the name '{value}'."
            raise NoMatch("DuplicateResource", text)


async def find_provider(io: ProcedureIO, value: str) -> str:
    """The name of a provider of load balancers."""
    listed = await io.get(SERVICE, "/v2.0/service-providers", {"service_type": "LOADBALANCERV2"})
    names = [provider["name"] for provider in listed["service_providers"]]
    if value not in names:
        text = f"Unable to find neutron provider '{value}', available providers are {names}."
        raise NoMatch("StackValidationFailed", text)
    return value


async def _list(io: ProcedureIO, path: str, key: str, **query: str) -> list[Mapping[str, Any]]:
    listed = await io.get(SERVICE, f"/v2.0{path}", {"fields": "id", **query})
    found: list[Mapping[str, Any]] = listed[key]
    return found


def _only(found: list[Mapping[str, Any]], value: str, entity: str) -> str:
    match found:
        case [one]:
            return str(one["id"])
        case []:
            text = f"Unable to find {entity} with name or id '{value}'"
            raise NoMatch("NotFound", text)
        case _:
            raise NoMatch(
                "NeutronClientNoUniqueMatch",
                f"Multiple {entity} matches found for name '{value}', "
                "use an ID to be more specific.",
            )


type _Find = Callable[[ProcedureIO, str], Awaitable[str]]

FINDERS: Mapping[str, _Find] = {
    "get_qos_policy_id": partial(find_id, entity="policy"),
    "find_provider": find_provider,
    "find_network_segment": find_segment,
}

ENTITY_FINDERS: Mapping[str, Callable[..., Awaitable[str]]] = {
    "find_resourceid_by_name_or_id": find_id,
    "resolve_ext_resource": find_extension_id,
}
"""finders that are told what to look for: (io, value, entity)"""
