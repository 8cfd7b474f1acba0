"""What the native API needs from outside: who asks, what is allowed, and an engine.

The implementations live elsewhere (heat_io.openstack, heat_app.policy, heat_io.messaging);
tests pass fakes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from heat_core.rpc import RequestContext


class Refusal(Protocol):
    """An answer that an authenticator gives instead of a context (401, 503)."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Sequence[tuple[str, str]]: ...
    @property
    def body(self) -> bytes: ...


class Authenticator(Protocol):
    """Finds out who asks."""

    async def authenticate(
        self,
        headers: Mapping[str, str],
        *,
        method: str,
        path: str,
        request_id: str | None,
        global_request_id: str | None,
    ) -> RequestContext | Refusal:
        """The context of the token in `headers`, or the answer to give.

        `path` is the path as the client sent it. `is_admin` is left to the policy.
        """
        ...


class Policy(Protocol):
    """Decides who may do what."""

    def enforce(self, rule: str, context: RequestContext, target: Mapping[str, Any]) -> bool:
        """Whether the caller may: `rule` is `stacks:create` and its like."""
        ...

    def is_admin(self, context: RequestContext) -> bool:
        """Whether the caller is an administrator of the whole service."""
        ...


class Fetcher(Protocol):
    """Fetches what a URL names."""

    async def fetch(self, url: str) -> bytes:
        """The content. Raises URLFetchError with the user's text."""
        ...


class Engine(Protocol):
    """Calls an engine method."""

    async def call(self, context: RequestContext, method: str, /, **arguments: Any) -> Any:
        """The engine's result; its failure is raised as the class that it had there."""
        ...
