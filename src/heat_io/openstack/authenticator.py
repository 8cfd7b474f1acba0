"""Lets a request in, or says how it is turned away: the core of the API's auth middleware.

What Heat does in three filters (authurl, authtoken, context) is one function of the request's
headers. Identity headers that a client sends itself (X-Roles, X-Project-Id, ...) are never read,
so there is nothing to strip: who somebody is comes from Keystone's answer alone. From the client
come, as with Heat, a user name with its key or EC2 credentials (X-Auth-User, X-Auth-Key,
X-Auth-EC2-Creds) and the region to work in (X-Region-Name).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from heat_core.rpc import RequestContext
from heat_io.openstack import access_rules
from heat_io.openstack.identity import Unavailable
from heat_io.openstack.refusal import Refusal, keystone_unavailable, unauthorized
from heat_io.openstack.token_info import TokenInfo
from heat_io.openstack.validator import TokenValidator

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticatorSettings:
    """Options of [keystone_authtoken]; `auth_url` is what contexts carry (authurl filter).

    `www_authenticate_uri` is shown to clients; unset, it is the URL that the service itself uses.
    """

    www_authenticate_uri: str
    auth_url: str | None = None
    delay_auth_decision: bool = False
    service_token_roles: tuple[str, ...] = ("service",)
    service_token_roles_required: bool = True
    service_type: str | None = None


class Authenticator:
    """Turns the headers of a request into a RequestContext or a Refusal."""

    def __init__(self, validator: TokenValidator, settings: AuthenticatorSettings) -> None:
        self._validator = validator
        self._settings = settings

    async def authenticate(
        self,
        headers: Mapping[str, str],
        *,
        method: str = "GET",
        path: str = "/",
        request_id: str | None = None,
        global_request_id: str | None = None,
    ) -> RequestContext | Refusal:
        """The context of the request, or the answer to give instead.

        `path` is the URL's path as the client sent it. `is_admin` stays false: policy decides it.
        With delay_auth_decision a request without a good token gets a context without identity.
        """
        found = _lower(headers)
        refusal = keystone_unavailable(found.get("accept", ""), head=method == "HEAD")
        service_ok, allow_expired = True, False
        service_token = found.get("x-service-token")
        if service_token:
            service = await self._validator.validate(service_token)
            if isinstance(service, Unavailable) and not self._settings.delay_auth_decision:
                return _unavailable(service, refusal)
            allow_expired = isinstance(service, TokenInfo) and not set(
                service.role_names
            ).isdisjoint(self._settings.service_token_roles)
            service_ok = (
                allow_expired
                if self._settings.service_token_roles_required
                else isinstance(service, TokenInfo)
            )
        info: TokenInfo | None = None
        token = found.get("x-auth-token", found.get("x-storage-token", ""))
        if token:
            outcome = await self._validator.validate(token, allow_expired=allow_expired)
            if isinstance(outcome, Unavailable) and not self._settings.delay_auth_decision:
                return _unavailable(outcome, refusal)
            if isinstance(outcome, TokenInfo) and self._usable(
                outcome, method, path, with_service_token=bool(service_token)
            ):
                info = outcome
        if (info is None or not service_ok) and not self._settings.delay_auth_decision:
            log.info("a request without a good token was turned away")
            return unauthorized(self._settings.www_authenticate_uri)
        return self._context(
            found, info, token, request_id=request_id, global_request_id=global_request_id
        )

    def _usable(self, info: TokenInfo, method: str, path: str, *, with_service_token: bool) -> bool:
        if not access_rules.allowed(
            info.body,
            method=method,
            path=path,
            service_type=self._settings.service_type,
            with_service_token=with_service_token,
        ):
            return False
        # Bound tokens: Kerberos is the one kind that is known, and no request here can show it.
        bind = info.body.get("bind") or {}
        return with_service_token or "kerberos" not in bind

    def _context(
        self,
        found: Mapping[str, str],
        info: TokenInfo | None,
        token: str,
        *,
        request_id: str | None,
        global_request_id: str | None,
    ) -> RequestContext:
        username = password = aws_creds = None
        if "x-auth-user" in found:
            username, password = found["x-auth-user"], found.get("x-auth-key")
        elif "x-auth-ec2-creds" in found:
            aws_creds = found["x-auth-ec2-creds"]
        common = RequestContext(
            request_id=request_id,
            global_request_id=global_request_id,
            username=username,
            password=password,
            aws_creds=aws_creds,
            auth_url=self._settings.auth_url,
            region_name=found.get("x-region-name"),
            auth_token=token or None,
        )
        return common if info is None else identified(common, info)


def identified(context: RequestContext, info: TokenInfo) -> RequestContext:
    """The context with the identity of a token; a user name that it has already stays."""
    own_name = context.username is None and context.password is None
    return replace(
        context,
        user_id=info.user_id,
        username=info.user_name if own_name else context.username,
        project_id=info.project_id,
        project_name=info.project_name,
        user_domain_id=info.user_domain_id,
        project_domain_id=info.project_domain_id,
        domain_id=info.domain_id,
        system_scope=info.system_scope,
        roles=info.role_names,
        is_admin_project=info.is_admin_project,
        auth_token=info.token,
        auth_token_info=info.context_info(),
    )


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers by lower-case name; repeated ones are joined, as WSGI servers do."""
    found: dict[str, str] = {}
    pairs: Iterable[tuple[str, str]] = headers.items()
    for name, value in pairs:
        key = name.lower()
        found[key] = f"{found[key]},{value}" if key in found else value
    return found


def _unavailable(outcome: Unavailable, refusal: Refusal) -> Refusal:
    log.critical("a token could not be checked", extra={"fields": {"why": outcome.text}})
    return refusal
