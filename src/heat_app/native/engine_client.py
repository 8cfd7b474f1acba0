"""Calls of engine methods over the bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import trio

from heat_core.rpc import CallTimeout, RequestContext
from heat_core.rpc.contract import ENGINE_METHODS
from heat_io.messaging import Target

READING = frozenset(
    {
        "count_stacks",
        "describe_stack_resource",
        "describe_stack_resources",
        "export_stack",
        "find_physical_resource",
        "generate_template",
        "get_environment",
        "get_files",
        "get_revision",
        "get_template",
        "identify_stack",
        "list_events",
        "list_outputs",
        "list_resource_types",
        "list_services",
        "list_software_configs",
        "list_software_deployments",
        "list_stack_resources",
        "list_stacks",
        "list_template_functions",
        "list_template_versions",
        "metadata_software_deployments",
        "preview_stack",
        "preview_update_stack",
        "resource_schema",
        "show_output",
        "show_snapshot",
        "show_software_config",
        "show_software_deployment",
        "show_stack",
        "stack_list_snapshots",
        "validate_template",
    }
)
"""Methods that change nothing; every other is carried to its end once it has begun."""

SHIELD_MARGIN_SECONDS = 5.0


class _Caller(Protocol):
    async def call(
        self,
        target: Target,
        method: str,
        arguments: Mapping[str, Any],
        context: RequestContext,
        *,
        timeout_seconds: float | None = None,
    ) -> Any: ...


class EngineClient:
    """Engine methods with the argument defaults and versions that Heat's own client sends.

    A client that hangs up cancels its request. A call that may change something is shielded from
    that, until its deadline: or the stack could be stored and the caller of the RPC gone before
    the first resource is told to start.
    """

    def __init__(self, bus: _Caller, *, timeout_seconds: float = 60.0) -> None:
        self._bus = bus
        self._timeout_seconds = timeout_seconds

    async def call(self, context: RequestContext, method: str, /, **arguments: Any) -> Any:
        """The engine's result.

        Raises its failure as the class that it had there, CallTimeout when no answer came in
        time, TypeError for arguments that the method does not have.
        """
        contract = ENGINE_METHODS[method]
        request = contract.request(**arguments)
        target = Target(ENGINE_METHODS.name, version=contract.version)
        if method in READING:
            return await self._bus.call(
                target, method, request, context, timeout_seconds=self._timeout_seconds
            )
        limit = self._timeout_seconds + SHIELD_MARGIN_SECONDS
        with trio.move_on_after(limit, shield=True):
            return await self._bus.call(
                target, method, request, context, timeout_seconds=self._timeout_seconds
            )
        raise CallTimeout(f"No answer from an engine to {method}")
