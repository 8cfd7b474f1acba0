"""Actions and snapshots of a stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_app.native.call import Call
from heat_app.native.faults import HTTPBadRequest
from heat_app.web.answers import Answer, json_answer, no_content, plain_answer

_ACTIONS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "suspend": ("stack_suspend", {}),
    "resume": ("stack_resume", {}),
    "check": ("stack_check", {}),
    "cancel_update": ("stack_cancel_update", {"cancel_with_rollback": True}),
    "cancel_without_rollback": ("stack_cancel_update", {"cancel_with_rollback": False}),
}


async def action(call: Call) -> Answer:
    """Do the one action that the body names. Each has a rule of its own in the policy."""
    body = call.body or {}
    if not body:
        raise HTTPBadRequest("No action specified")
    if len(body) > 1:
        raise HTTPBadRequest("Multiple actions specified")
    name = next(iter(body))
    if name not in _ACTIONS:
        raise HTTPBadRequest(f"Invalid action {name} specified")
    call.check_project()
    call.authorize(f"actions:{name}")
    method, arguments = _ACTIONS[name]
    await call.engine(method, stack_identity=call.identity, **arguments)
    return json_answer(None)


async def snapshot(call: Call) -> Answer:
    """Begin a snapshot."""
    assert call.body is not None, "the route requires a body"
    return json_answer(
        await call.engine(
            "stack_snapshot", stack_identity=call.identity, name=call.body.get("name")
        )
    )


def _of_snapshot(call: Call) -> dict[str, Any]:
    return {"stack_identity": call.identity, "snapshot_id": call.variables["snapshot_id"]}


async def show_snapshot(call: Call) -> Answer:
    """One snapshot."""
    return json_answer({"snapshot": await call.engine("show_snapshot", **_of_snapshot(call))})


async def delete_snapshot(call: Call) -> Answer:
    """Delete a snapshot: 204."""
    await call.engine("delete_snapshot", **_of_snapshot(call))
    return no_content()


async def list_snapshots(call: Call) -> Answer:
    """The stack's snapshots."""
    snapshots = await call.engine("stack_list_snapshots", stack_identity=call.identity)
    return json_answer({"snapshots": snapshots})


async def restore_snapshot(call: Call) -> Answer:
    """Begin a restore: 202."""
    await call.engine("stack_restore", **_of_snapshot(call))
    return plain_answer(202, call.request.method, call.request.accept)
