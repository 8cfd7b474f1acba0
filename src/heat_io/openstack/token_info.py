"""What Keystone says about a token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from heat_io.openstack.catalog import Catalog


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """A token and the `token` object of Keystone's v3 answer about it.

    The token never shows in the repr. `body` is shared and must not be changed.
    """

    token: str = field(repr=False)
    body: Mapping[str, Any] = field(repr=False, compare=False)
    expires_at: datetime
    issued_at: datetime
    catalog: Catalog = field(repr=False, compare=False)

    @classmethod
    def from_answer(cls, token: str, answer: Any) -> Self:
        """Read the answer to POST or GET /v3/auth/tokens; ValueError when it isn't one."""
        body = answer.get("token") if isinstance(answer, Mapping) else None
        if not isinstance(body, Mapping) or not isinstance(body.get("user"), Mapping):
            raise ValueError("the answer holds no token")
        expires_at = _time(body.get("expires_at"))
        return cls(
            token=token,
            body=body,
            expires_at=expires_at,
            issued_at=_time(body["issued_at"]) if body.get("issued_at") else expires_at,
            catalog=Catalog.from_token(body),
        )

    @property
    def lifetime_seconds(self) -> float:
        """From issue to expiry, by Keystone's own clock alone."""
        return (self.expires_at - self.issued_at).total_seconds()

    @property
    def user_id(self) -> str | None:
        return _at(self.body, "user", "id")

    @property
    def user_name(self) -> str | None:
        return _at(self.body, "user", "name")

    @property
    def user_domain_id(self) -> str | None:
        return _at(self.body, "user", "domain", "id")

    @property
    def project_id(self) -> str | None:
        return _at(self.body, "project", "id")

    @property
    def project_name(self) -> str | None:
        return _at(self.body, "project", "name")

    @property
    def project_domain_id(self) -> str | None:
        return _at(self.body, "project", "domain", "id")

    @property
    def domain_id(self) -> str | None:
        """The domain that the token is scoped to."""
        return _at(self.body, "domain", "id")

    @property
    def system_scope(self) -> str | None:
        return "all" if (self.body.get("system") or {}).get("all") else None

    @property
    def is_admin_project(self) -> bool:
        """True too when Keystone knows no admin project."""
        return bool(self.body.get("is_admin_project", True))

    @property
    def role_names(self) -> tuple[str, ...]:
        return tuple(role["name"] for role in self.body.get("roles") or ())

    @property
    def role_ids(self) -> tuple[str, ...]:
        return tuple(role["id"] for role in self.body.get("roles") or ())

    @property
    def trust_id(self) -> str | None:
        """The trust that the token was made from."""
        return _at(self.body, "OS-TRUST:trust", "id")

    def context_info(self) -> dict[str, Any]:
        """The `auth_token_info` that Heat's contexts carry for this token."""
        return {"token": {**self.body, "version": "v3", "auth_token": self.token}}


def _at(body: Mapping[str, Any], *path: str) -> str | None:
    value: Any = body
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return None if value is None else str(value)


def _time(text: Any) -> datetime:
    if not isinstance(text, str):
        raise ValueError("the token has no expiry time")
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
