"""The message that asks for a visit to a node, and the visit that it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.convergence import Node, entries
from heat_core.convergence.node_events import Visit
from heat_core.convergence.sync_point import NO_FAILURES
from heat_core.rpc import RequestContext
from heat_core.stack.ids import ResourceId, TraversalId
from heat_io.messaging import ENGINE_WORKER, Cast

CHECK_RESOURCE = "check_resource"


def check_cast(
    node: Node,
    traversal_id: TraversalId,
    input_data: Mapping[str, Any],
    context: RequestContext,
    failures: Mapping[str, str] = NO_FAILURES,
    skip: bool = False,
) -> Cast:
    """The message that asks for a visit (rules/i-convergence.md#9)."""
    return Cast(
        ENGINE_WORKER,
        CHECK_RESOURCE,
        {
            "resource_id": node.id,
            "current_traversal": traversal_id,
            "data": {"input_data": entries(input_data)},
            "is_update": node.is_update,
            "adopt_stack_data": None,
            "converge": False,
            "skip_propagate": skip,
            "accumulated_failures": dict(failures) or None,
            "node_type": node.type,
            "abandon": False,
        },
        context,
    )


def visit_of(arguments: Mapping[str, Any]) -> Visit:
    """The visit that a message's arguments ask for."""
    return Visit(
        resource_id=ResourceId(arguments["resource_id"]),
        traversal_id=TraversalId(arguments["current_traversal"]),
        is_update=bool(arguments["is_update"]),
        input_data=arguments["data"] or {},
        skip=bool(arguments.get("skip_propagate")),
        failures=arguments.get("accumulated_failures") or {},
    )
