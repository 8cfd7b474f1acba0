"""Ids of Keystone's objects by id or name (facts/constraints.json, facts/client-plugins.json)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote

from heat_core.errors import EntityNotFound
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
    name, domain_id = await _split_domain(io, project, "KeystoneProject")
    found = await _by_id(io, "projects", name) or await _by_name(
        io, "projects", name, **({"domain_id": domain_id} if domain_id else {})
    )
    if found is None:
        raise EntityNotFound(entity="KeystoneProject", name=name)
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
    "get_project_id": get_project_id,
}
