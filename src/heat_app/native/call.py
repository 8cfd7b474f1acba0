"""One operation at work: the request, who makes it, and what the handler may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from heat_app.config import Settings
from heat_app.native.faults import HTTPForbidden
from heat_app.native.ports import Engine, Fetcher, Policy
from heat_app.web.answers import Answer
from heat_app.web.parameters import Parameters
from heat_app.web.request import ApiRequest
from heat_core.errors import Forbidden
from heat_core.rpc import RequestContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An authenticated request that has found its route.

    `variables` are the names in the route's path with their values; `body` the JSON object that
    was sent, None for none.
    """

    request: ApiRequest
    context: RequestContext
    parameters: Parameters
    variables: Mapping[str, str]
    body: dict[str, Any] | None
    policy: Policy
    settings: Settings
    _engine: Engine = field(repr=False)
    _fetcher: Fetcher = field(repr=False)

    async def engine(self, method: str, /, **arguments: Any) -> Any:
        """The engine's answer, asked in the caller's name."""
        return await self._engine.call(self.context, method, **arguments)

    async def fetch(self, url: str) -> bytes:
        """What the URL names. Raises URLFetchError."""
        return await self._fetcher.fetch(url)

    async def engine_as(self, context: RequestContext, method: str, /, **arguments: Any) -> Any:
        """The engine's answer, asked in another name."""
        return await self._engine.call(context, method, **arguments)

    @property
    def identity(self) -> dict[str, str]:
        """The stack of the path. Its tenant is the caller's project, not the one of the path."""
        return {
            "tenant": self.context.project_id or "",
            "stack_name": self.variables["stack_name"],
            "stack_id": self.variables["stack_id"],
            "path": "",
        }

    def check_project(self) -> None:
        """Raise HTTPForbidden when the path names a project that is not the caller's.

        An administrator with a project may name any (rules/e-identity.md#19).
        """
        tenant = self.variables["tenant_id"]
        if self.context.is_admin and self.context.project_id:
            return
        if self.context.project_id != tenant:
            raise HTTPForbidden

    def authorize(self, rule: str) -> None:
        """Raise Forbidden unless the policy lets the caller do `rule`."""
        if not self.policy.enforce(rule, self.context, {"project_id": self.context.project_id}):
            raise Forbidden(action=rule)


type Handler = Callable[[Call], Awaitable[Answer]]
