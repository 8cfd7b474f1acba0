"""Who a request to OpenStack is made for.

Credentials say how to come by a token; they are values, usable as keys of a cache, and their repr
shows no secret. Stored credentials are what a stack keeps in `user_creds` for the time when nobody
is there to ask (rules/k-locks-services.md#19-20).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from heat_core.errors import AuthorizationFailure
from heat_core.rpc import RequestContext


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordLogin:
    """A user that Keystone knows by password. Ids win over names."""

    auth_url: str
    password: str = field(repr=False)
    user_id: str | None = None
    username: str | None = None
    user_domain_id: str | None = None
    user_domain_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectScope:
    project_id: str | None = None
    project_name: str | None = None
    project_domain_id: str | None = None
    project_domain_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainScope:
    domain_id: str | None = None
    domain_name: str | None = None


@dataclass(frozen=True, slots=True)
class TrustScope:
    trust_id: str = field(repr=False)


type Scope = ProjectScope | DomainScope | TrustScope | None


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """A token to be had from Keystone: who and for what. The key of the token cache."""

    login: PasswordLogin
    scope: Scope = None

    def body(self) -> dict[str, Any]:
        """The body of POST /v3/auth/tokens."""
        user: dict[str, Any] = {"password": self.login.password}
        if self.login.user_id:
            user["id"] = self.login.user_id
        else:
            user["name"] = self.login.username
            if self.login.user_domain_id:
                user["domain"] = {"id": self.login.user_domain_id}
            elif self.login.user_domain_name:
                user["domain"] = {"name": self.login.user_domain_name}
        auth: dict[str, Any] = {"identity": {"methods": ["password"], "password": {"user": user}}}
        if self.scope is not None:
            auth["scope"] = _scope_body(self.scope)
        return {"auth": auth}


@dataclass(frozen=True, slots=True)
class UserToken:
    """A token that came with a request; it can't be renewed.

    `info` is the context's `auth_token_info`; the catalog is read from it.
    """

    token: str = field(repr=False)
    info: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)
    region_name: str | None = None


@dataclass(frozen=True, slots=True)
class Trust:
    """The service user acting for the user who created the trust; renewed as often as needed."""

    trust_id: str = field(repr=False)
    trustor_user_id: str | None = None
    region_name: str | None = None


@dataclass(frozen=True, slots=True)
class Password:
    """A user's own password, scoped to a project (deferred_auth_method password)."""

    request: TokenRequest
    region_name: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceUser:
    """The service itself, in its own project."""

    region_name: str | None = None


type Credentials = UserToken | Trust | Password | ServiceUser


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCredentials:
    """A row of user_creds in clear (rules/j-encodings.md#7): a trust, or user name and password."""

    trust_id: str | None = field(default=None, repr=False)
    trustor_user_id: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tenant: str | None = None
    tenant_id: str | None = None
    auth_url: str | None = None
    region_name: str | None = None

    @classmethod
    def from_context(cls, context: RequestContext) -> StoredCredentials:
        """What Heat stores for this context: the trust when it has one, else the password."""
        return cls(
            trust_id=context.trust_id,
            trustor_user_id=context.trustor_user_id,
            username=None if context.trust_id else context.username,
            password=None if context.trust_id else context.password,
            tenant=context.project_name,
            tenant_id=context.project_id,
            auth_url=context.auth_url,
            region_name=context.region_name,
        )

    def context(self, *, request_id: str | None = None) -> RequestContext:
        """The context to go on with when the user is gone; never an administrator's.

        Roles, domains and the user's id aren't stored: they are those of the token made from the
        trust; `trustor_user_id` says whose it is.
        """
        return RequestContext(
            request_id=request_id,
            username=self.username,
            password=self.password,
            project_id=self.tenant_id,
            project_name=self.tenant,
            auth_url=self.auth_url,
            region_name=self.region_name,
            trust_id=self.trust_id,
            trustor_user_id=self.trustor_user_id,
        )

    @property
    def usable(self) -> bool:
        """Whether there is anything to act with."""
        return bool(self.trust_id or self.password)

    def credentials(self) -> Credentials:
        """How to come by a token; AuthorizationFailure when the row holds neither kind."""
        return credentials_of(self.context())


def credentials_of(context: RequestContext) -> Credentials:
    """How to come by a token for a context, in Heat's order: trust, token, password.

    Raises AuthorizationFailure when the context holds none of them.
    """
    if context.trust_id:
        return Trust(context.trust_id, context.trustor_user_id, context.region_name)
    if context.auth_token_info and context.auth_token:
        return UserToken(context.auth_token, context.auth_token_info, context.region_name)
    if context.password and context.auth_url:
        login = PasswordLogin(
            auth_url=context.auth_url,
            username=context.username,
            password=context.password,
            user_domain_id=context.user_domain_id or "default",
        )
        scope = ProjectScope(project_id=context.project_id)
        return Password(TokenRequest(login, scope), context.region_name)
    if context.auth_token:
        return UserToken(context.auth_token, None, context.region_name)
    raise AuthorizationFailure()


def with_trust(context: RequestContext, trust_id: str, trustor_user_id: str) -> RequestContext:
    """The context that acts through a trust from now on."""
    return replace(context, trust_id=trust_id, trustor_user_id=trustor_user_id)


def _scope_body(scope: ProjectScope | DomainScope | TrustScope) -> dict[str, Any]:
    if isinstance(scope, TrustScope):
        return {"OS-TRUST:trust": {"id": scope.trust_id}}
    if isinstance(scope, DomainScope):
        named = {"id": scope.domain_id} if scope.domain_id else {"name": scope.domain_name}
        return {"domain": named}
    if scope.project_id:
        return {"project": {"id": scope.project_id}}
    domain = (
        {"id": scope.project_domain_id}
        if scope.project_domain_id
        else {"name": scope.project_domain_name}
    )
    return {"project": {"name": scope.project_name, "domain": domain}}
