"""The request context that travels with every message (facts/rpc.json, context_keys)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """Who asks, for which project, under which request id. Secrets never show in its repr."""

    request_id: str | None = None
    global_request_id: str | None = None
    user_id: str | None = None
    username: str | None = None
    project_id: str | None = None
    project_name: str | None = None
    user_domain_id: str | None = None
    project_domain_id: str | None = None
    domain_id: str | None = None
    system_scope: str | None = None
    roles: tuple[str, ...] = ()
    is_admin: bool = False
    is_admin_project: bool = True
    read_only: bool = False
    show_deleted: bool = False
    resource_uuid: str | None = None
    auth_url: str | None = None
    region_name: str | None = None
    trust_id: str | None = field(default=None, repr=False)
    trustor_user_id: str | None = None
    auth_token: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    aws_creds: str | None = field(default=None, repr=False)
    auth_token_info: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def can_act(self) -> bool:
        """Whether whoever gets it can come by a token, and policy can say what it may do."""
        return bool(self.roles) and self._has_secret

    @property
    def _has_secret(self) -> bool:
        return bool(self.trust_id or self.password or self.auth_token)

    def acting_with(self, stored: RequestContext, project_id: str) -> RequestContext:
        """What goes on to other engines: who asked, acting with a stack's stored credentials.

        The user's token stays behind: it ends, and a trust doesn't. Only where nothing usable is
        stored it has to do. Who acts so is never an administrator, and is in `project_id`, the
        stack's own: engines find stacks of the context's project alone. Source: the shape of
        Heat's messages under reauthentication_auth_method "trusts"
        (rules/k-locks-services.md#20).
        """
        within = replace(self, project_id=project_id, is_admin=False)
        if not stored._has_secret:
            return within
        return replace(
            within,
            project_name=stored.project_name or self.project_name,
            username=stored.username or self.username,
            password=stored.password,
            trust_id=stored.trust_id,
            trustor_user_id=stored.trustor_user_id,
            auth_url=stored.auth_url or self.auth_url,
            region_name=stored.region_name or self.region_name,
            auth_token=None,
            auth_token_info=None,
            aws_creds=None,
        )

    def to_wire(self) -> dict[str, Any]:
        """The map of context keys as Heat's engines read them."""
        identity = " ".join(
            value or "-"
            for value in (
                self.user_id,
                self.project_id,
                self.domain_id,
                self.user_domain_id,
                self.project_domain_id,
            )
        )
        wire: dict[str, Any] = {
            _TO_WIRE.get(item.name, item.name): getattr(self, item.name) for item in fields(self)
        }
        wire["roles"] = list(self.roles)
        wire["project"] = self.project_id
        wire["project_id"] = self.project_id
        wire["user_identity"] = identity
        return wire

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Read a context sent by us or by Heat; unknown keys are ignored."""
        values: dict[str, Any] = {}
        for item in fields(cls):
            value = wire.get(_TO_WIRE.get(item.name, item.name))
            if value is not None:
                values[item.name] = value
        values["roles"] = tuple(values.get("roles", ()))
        for name, keys in _OTHER_KEYS.items():
            for key in keys:
                if values.get(name) is None and wire.get(key):
                    values[name] = wire[key]
        return cls(**values)


_TO_WIRE = {
    "user_id": "user",
    "user_domain_id": "user_domain",
    "project_domain_id": "project_domain",
    "domain_id": "domain",
}

_OTHER_KEYS = {
    "project_id": ("project", "tenant_id"),
    "project_name": ("tenant",),
    "user_id": ("user_id",),
    "user_domain_id": ("user_domain_id",),
    "project_domain_id": ("project_domain_id",),
}
"""spellings of older senders (facts/rpc.json, context_from_dict_legacy_keys)"""
