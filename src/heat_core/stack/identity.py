"""What a stack, a resource or an event is called from outside: identities, ARNs and URL paths.

Source: rules/e-identity.md#8-15, facts/identity-vectors.json.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import quote, unquote, urlsplit

_STACK_PART = re.compile(r"stacks/([^/]+)/([^/]+)(.*)")
_ARN_IN_PATH = re.compile(r"/arn%3aopenstack%3aheat%3a%3a", re.IGNORECASE)
_RESOURCE_PART = re.compile(r"/resources/([^/]+)")
_EVENT_PART = re.compile(r"/resources/[^/]+/events/([^/]+)")


@dataclass(frozen=True, slots=True)
class HeatIdentifier:
    """Tenant, stack name, stack id and the path below the stack ("" for the stack itself).

    A path that lacks its leading slash gets one; ValueError for a stack name with a slash.
    """

    tenant: str
    stack_name: str
    stack_id: str
    path: str = ""

    def __post_init__(self) -> None:
        if "/" in self.stack_name:
            raise ValueError('Stack name may not contain "/"')
        if self.path and not self.path.startswith("/"):
            object.__setattr__(self, "path", f"/{self.path}")

    # --- from text and from the wire ---------------------------------------------------------

    @classmethod
    def from_dict(cls, identity: Mapping[str, Any]) -> Self:
        """Read the dict form as it travels on the bus.

        TypeError when a part is missing or unknown, which the API answers as a bad request.
        """
        return cls(**identity)

    @classmethod
    def from_arn(cls, arn: str) -> Self:
        """Parse an ARN; ValueError when it is none, or not one of ours."""
        fields = arn.split(":", 5)
        if len(fields) < 6 or fields[0].lower() != "arn":
            raise ValueError(f'"{arn}" is not a valid ARN')
        match = _STACK_PART.match(fields[5])
        if fields[1:3] != ["openstack", "heat"] or match is None:
            raise ValueError(f'"{arn}" is not a valid Heat ARN')
        name, stack_id, path = match.groups()
        return cls(unquote(fields[4]), unquote(name), unquote(stack_id), unquote(path))

    @classmethod
    def from_arn_url(cls, url: str) -> Self:
        """Take the ARN out of a signal URL; ValueError when there is none."""
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc or not parts.path:
            raise ValueError(f'"{url}" is not a valid URL')
        match = _ARN_IN_PATH.search(parts.path)
        if match is None:
            raise ValueError(f'"{url}" is not a valid ARN URL')
        return cls.from_arn(unquote(parts.path[match.start() + 1 :]))

    # --- to text and to the wire -------------------------------------------------------------

    def to_dict(self) -> dict[str, str]:
        """The dict form: what every engine answer holds as an identity."""
        return {
            "tenant": self.tenant,
            "stack_name": self.stack_name,
            "stack_id": self.stack_id,
            "path": self.path,
        }

    def arn(self) -> str:
        """The ARN: tenant, name and id fully quoted, the path with its slashes left alone."""
        return f"arn:openstack:heat::{quote(self.tenant, '')}:{self._tenant_relative()}"

    def arn_url_path(self) -> str:
        """The ARN as one segment of a URL: quoted a second time."""
        return "/" + quote(self.arn(), "/")

    def url_path(self) -> str:
        """`<tenant>/stacks/<name>/<id><path>`, to be joined to the application's URL."""
        return f"{quote(self.tenant, '')}/{self._tenant_relative()}"

    def stack_path(self) -> str:
        """`<name>/<id>`, quoted."""
        return f"{quote(self.stack_name, '')}/{quote(self.stack_id, '')}"

    def _tenant_relative(self) -> str:
        return f"stacks/{self.stack_path()}{quote(self.path, '/')}"

    # --- up and down -------------------------------------------------------------------------

    def stack(self) -> Self:
        """The identity of the stack that this one belongs to."""
        return type(self)(self.tenant, self.stack_name, self.stack_id)

    def resource(self, name: str) -> Self:
        """The identity of one of the stack's resources; ValueError for a name with a slash."""
        if "/" in name:
            raise ValueError('Resource name may not contain "/"')
        path = f"{self.path.rstrip('/')}/resources/{name}"
        return type(self)(self.tenant, self.stack_name, self.stack_id, path)

    def event(self, resource_name: str, event_id: str) -> Self:
        """The identity of one event of one of the stack's resources (or of the stack, by name)."""
        parent = self.resource(resource_name)
        path = f"{parent.path}/events/{event_id}"
        return type(self)(self.tenant, self.stack_name, self.stack_id, path)

    @property
    def resource_name(self) -> str | None:
        """The resource that the path names, if it names one."""
        match = _RESOURCE_PART.match(self.path)
        return match.group(1) if match else None

    @property
    def event_id(self) -> str | None:
        """The event that the path names, if it names one."""
        match = _EVENT_PART.match(self.path)
        return match.group(1) if match else None
