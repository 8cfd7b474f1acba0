"""Ids of Keystone's objects by id or name (facts/constraints.json, facts/client-plugins.json)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote

from heat_core.errors import EntityNotFound, KeystoneServiceNameConflict
from heat_core.procedure import HttpAnswer, HttpCall, ProcedureIO

SERVICE = "identity"

_NAME_WITH_DOMAIN = re.compile(r"\{(?P<domain>.*?)\}$")


async def get_domain_id(io: ProcedureIO, domain: str) -> str:
    """The id of a domain; EntityNotFound when there is none of that id or name."""
    found = await _by_id(io, "domains", domain) or await _by_name(io, "domains", domain)
    if found is None:
        raise EntityNotFound(entity="KeystoneDomain", name=domain)
    return found


async def get_project_id(io: ProcedureIO, project: str) -> str:
    """The id of a project named as `<id>`, `<name>` or `<name>{<domain>}`."""
    return await _in_domain(io, "projects", project, "KeystoneProject")


async def get_group_id(io: ProcedureIO, group: str) -> str:
    """The id of a group, named like a project."""
    return await _in_domain(io, "groups", group, "KeystoneGroup")


async def get_role_id(io: ProcedureIO, role: str) -> str:
    """The id of a role, named like a project."""
    return await _in_domain(io, "roles", role, "KeystoneRole")


async def get_user_id(io: ProcedureIO, user: str) -> str:
    """The id of a user, named like a project."""
    return await _in_domain(io, "users", user, "KeystoneUser")


async def get_region_id(io: ProcedureIO, region: str) -> str:
    """The id of a region: regions have no other names."""
    found = await _by_id(io, "regions", region)
    if found is None:
        raise EntityNotFound(entity="KeystoneRegion", name=region)
    return found


async def get_service_id(io: ProcedureIO, service: str) -> str:
    """The id of a service; a name must be that of one service alone."""
    found = await _by_id(io, "services", service)
    if found is not None:
        return found
    match (await io.get(SERVICE, "/v3/services", {"name": service}))["services"]:
        case [one]:
            return str(one["id"])
        case []:
            raise EntityNotFound(entity="KeystoneService", name=service)
        case _:
            raise KeystoneServiceNameConflict(service=service)


async def _in_domain(io: ProcedureIO, collection: str, value: str, entity: str) -> str:
    name, domain_id = await _split_domain(io, value, entity)
    found = await _by_id(io, collection, name) or await _by_name(
        io, collection, name, **({"domain_id": domain_id} if domain_id else {})
    )
    if found is None:
        raise EntityNotFound(entity=entity, name=name)
    return found


async def _split_domain(io: ProcedureIO, text: str, entity: str) -> tuple[str, str | None]:
    """(name, domain id): any failure with the domain counts as the whole not being found."""
    match = _NAME_WITH_DOMAIN.search(text)
    if match is None:
        return text, None
    try:
        return text[: match.start()], await get_domain_id(io, match["domain"])
    except Exception as error:
        raise EntityNotFound(entity=entity, name=text) from error


async def _by_id(io: ProcedureIO, collection: str, value: str) -> str | None:
    answer: HttpAnswer = await io.request(
        HttpCall(
            "GET",
            SERVICE,
            f"/v3/{collection}/{quote(value, safe='')}",
            expect=frozenset({404}),
        )
    )
    if answer.status == 404:
        return None
    return str(answer.body[collection.removesuffix("s")]["id"])


async def _by_name(io: ProcedureIO, collection: str, name: str, **query: str) -> str | None:
    body = await io.get(SERVICE, f"/v3/{collection}", {"name": name, **query})
    for item in body[collection]:
        # Names are compared once more: the service may ignore a case that matters here.
        if item["name"] == name:
            return str(item["id"])
    return None


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_domain_id": get_domain_id,
    "get_group_id": get_group_id,
    "get_project_id": get_project_id,
    "get_region_id": get_region_id,
    "get_role_id": get_role_id,
    "get_service_id": get_service_id,
    "get_user_id": get_user_id,
}
