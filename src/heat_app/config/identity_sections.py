"""The sections about Keystone and the other services: who heat-trio is there, how it gets there."""

from __future__ import annotations

from dataclasses import dataclass

from heat_app.config.declaration import option

__all__ = ["ClientSettings", "Credentials", "IdentityClientSettings", "TokenSettings"]

_NO_SCOPE = "heat-trio logs in for a project, or for none where it acts with a trust"
_V3 = "heat-trio speaks Keystone's version 3 only"
_INTERFACES = ("publicURL", "internalURL", "adminURL", "public", "internal", "admin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The options of a password in Keystone, as [trustee] has them.

    `auth_section` names another section that these are read from.
    """

    auth_section: str | None = option(kind="plain")
    auth_type: str | None = option(kind="plain", also=("auth_plugin",))
    auth_url: str | None = option(kind="plain", dashed=True, required=True)
    username: str | None = option(kind="plain", also=("user-name",))
    user_id: str | None = option(kind="plain", dashed=True)
    password: str | None = option(kind="plain", secret=True)
    user_domain_id: str | None = option(kind="plain", dashed=True)
    user_domain_name: str | None = option(kind="plain", dashed=True)
    project_id: str | None = option(kind="plain", dashed=True, also=("tenant-id",))
    project_name: str | None = option(kind="plain", dashed=True, also=("tenant-name",))
    project_domain_id: str | None = option(kind="plain", dashed=True)
    project_domain_name: str | None = option(kind="plain", dashed=True)
    default_domain_id: str | None = option(kind="plain", dashed=True, unread=_V3)
    default_domain_name: str | None = option(kind="plain", dashed=True, unread=_V3)
    domain_id: str | None = option(kind="plain", dashed=True, unread=_NO_SCOPE)
    domain_name: str | None = option(kind="plain", dashed=True, unread=_NO_SCOPE)
    system_scope: str | None = option(kind="plain", dashed=True, unread=_NO_SCOPE)
    trust_id: str | None = option(kind="plain", dashed=True, unread=_NO_SCOPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSettings(Credentials):
    """[keystone_authtoken]: how users' tokens are checked, and by which user."""

    www_authenticate_uri: str | None = None
    region_name: str | None = None
    interface: str = "internal"
    cafile: str | None = None
    certfile: str | None = None
    keyfile: str | None = None
    insecure: bool = False
    token_cache_time: int = 300
    http_connect_timeout: int | None = None
    http_request_max_retries: int = 3
    include_service_catalog: bool = True
    service_token_roles: tuple[str, ...] = ("service",)
    service_token_roles_required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """[clients] and [clients_*]: how a service is reached."""

    endpoint_type: str | None = option(choices=_INTERFACES)
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    insecure: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityClientSettings(ClientSettings):
    """[clients_keystone]."""

    auth_uri: str | None = option(kind="uri")
