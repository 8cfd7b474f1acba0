"""Workflows by id or name (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import require

SERVICE = "workflowv2"


async def get_workflow(io: ProcedureIO, value: str) -> str:
    """The id or name of a workflow, as given."""
    await require(io, SERVICE, "/workflows", value, "Workflow")
    return value


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_workflow_by_identifier": get_workflow,
}
