"""The projects in which stacks keep their own users (rules/k-locks-services.md#21).

They live in a domain of their own, run by a domain administrator, so that a stack can have users
without its owner being allowed to make any. Here are the projects; the users, their roles, access
keys and passwords come with the resource types that make them (OS::Heat::HARestarter and the
signal and deployment types need them), as further methods of StackDomain.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from heat_core.errors import AuthorizationFailure
from heat_core.procedure import HttpCall, ServiceError
from heat_io.openstack.credentials import DomainScope, Password, PasswordLogin, TokenRequest
from heat_io.openstack.services import ServiceClient

log = logging.getLogger(__name__)

_DESCRIPTION = "Heat stack user project"
_NAME_LENGTH = 64
_SEEN = 1000
"""projects known to be in the domain, at most"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackDomainSettings:
    """stack_user_domain_id or _name, stack_domain_admin and its password; the id wins."""

    domain_id: str | None = None
    domain_name: str | None = None
    admin: str
    admin_password: str = field(repr=False)


class StackDomain:
    """Makes and deletes stacks' projects; without settings stacks use their owner's project."""

    def __init__(
        self, services: ServiceClient, settings: StackDomainSettings | None, *, auth_url: str
    ) -> None:
        self._services = services
        self._seen: set[str] = set()
        self._credentials: Password | None = None
        if settings is not None:
            login = PasswordLogin(
                auth_url=auth_url,
                username=settings.admin,
                password=settings.admin_password,
                user_domain_id=settings.domain_id,
                user_domain_name=settings.domain_name,
            )
            scope = DomainScope(domain_id=settings.domain_id, domain_name=settings.domain_name)
            self._credentials = Password(TokenRequest(login, scope))

    async def create_project(self, owner_project_id: str, stack_id: str) -> str:
        """The id of the stack's project, made now or by an earlier try.

        The name holds the stack's id, so a project of that name is this stack's. Raises
        AuthorizationFailure when the domain's administrator can't log in, else ServiceError.
        """
        if self._credentials is None:
            return owner_project_id
        domain_id = await self._domain_id()
        name = project_name(owner_project_id, stack_id)
        wanted = {
            "name": name,
            "domain_id": domain_id,
            "description": _DESCRIPTION,
            "enabled": True,
        }
        call = HttpCall("POST", "identity", "/v3/projects", {"project": wanted})
        try:
            answer = await self._services.send(self._credentials, call)
        except ServiceError as error:
            if not (error.conflict or error.maybe_done):
                raise
            found = await self._find(name, domain_id)
            if found is None:
                raise
            return found
        return str(answer.body["project"]["id"])

    async def delete_project(self, project_id: str) -> None:
        """Delete a stack's project; fine when it is gone.

        A project outside the domain is left alone: a stack made before there was a stack domain
        has its owner's project there. Raises AuthorizationFailure or ServiceError.
        """
        if self._credentials is None:
            return
        seen = project_id in self._seen
        self._seen.discard(project_id)
        if not seen and not await self._is_ours(project_id, self._credentials):
            return
        call = HttpCall("DELETE", "identity", _path(project_id), expect=frozenset({404}))
        await self._services.send(self._credentials, call)

    async def look_at(self, project_id: str) -> None:
        """Find out in advance whether `delete_project` may delete it; raises what that raises."""
        if self._credentials is None or not await self._is_ours(project_id, self._credentials):
            return
        if len(self._seen) >= _SEEN:
            self._seen.clear()
        self._seen.add(project_id)

    async def _is_ours(self, project_id: str, credentials: Password) -> bool:
        """Whether the project is there and in the domain, which it can't leave."""
        domain_id = await self._domain_id()
        shown = await self._services.send(
            credentials,
            HttpCall("GET", "identity", _path(project_id), expect=frozenset({403, 404})),
        )
        if shown.status == 404:
            return False
        if shown.status == 403 or shown.body["project"]["domain_id"] != domain_id:
            log.warning(
                "a stack's project is not in the stack domain and stays",
                extra={"fields": {"project_id": project_id}},
            )
            return False
        return True

    async def _find(self, name: str, domain_id: str) -> str | None:
        assert self._credentials is not None
        call = HttpCall(
            "GET",
            "identity",
            "/v3/projects",
            query=(("name", name), ("domain_id", domain_id)),
        )
        answer = await self._services.send(self._credentials, call)
        return next((str(project["id"]) for project in answer.body["projects"]), None)

    async def _domain_id(self) -> str:
        assert self._credentials is not None
        try:
            session = await self._services.session(self._credentials)
        except ServiceError as error:
            if error.status != 401:
                raise
            log.error("the stack domain's administrator can't log in")
            raise AuthorizationFailure() from error
        if session.info is None or session.info.domain_id is None:
            raise AssertionError("a token for a domain names no domain")
        return session.info.domain_id


def _path(project_id: str) -> str:
    return f"/v3/projects/{project_id}"


def project_name(owner_project_id: str, stack_id: str) -> str:
    """The name of a stack's project: owner's project and stack, cut to what Keystone takes."""
    return f"{owner_project_id}-{stack_id}"[:_NAME_LENGTH]
