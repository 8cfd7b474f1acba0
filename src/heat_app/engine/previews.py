"""Previews of a create and of an update: what they would make and change, without doing it.

Source: rules/h-updates.md (Preview update), facts/formats.json, docs/beyond-heat.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_app.engine.arguments import StackOptions
from heat_app.engine.formatting import shown_stack
from heat_app.engine.nested_previews import TreePreview
from heat_app.engine.outputs import planned_outputs
from heat_app.engine.planned import NO_ID, planned_stack_resources
from heat_app.engine.ports import Endpoint, Parts
from heat_app.engine.preparation import Preparation, Request
from heat_core.convergence.preview import Kind, Previewed
from heat_core.convergence.property_changes import PropertyChange
from heat_core.errors import NotSupported
from heat_core.parameters import HIDDEN_TEXT
from heat_core.rpc import RequestContext
from heat_core.stack import Action, StackId, StackRecord, Status, TemplateId
from heat_io.sandbox.evaluation import evaluate

type Json = dict[str, Any]

SHOW_NESTED = "show_nested"
SHOW_CHANGES = "show_changes"
"""asks for what changes in each resource, and why one is replaced; Heat does not know it"""
CHANGES = "changes"

_OF_A_STACK_THAT_IS_THERE = ("stack_action", "stack_status", "stack_status_reason")


class Previews(Endpoint):
    """What can be asked of a change that is not made."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._preparation = Preparation(parts)

    # --- create ------------------------------------------------------------------------------

    async def preview_stack(self, context: RequestContext, stack_name: str, **request: Any) -> Json:
        """The stack that a create would make, with its resources and their properties."""
        wanted = Request(**request)
        options = StackOptions.from_args(wanted.args)
        if options.adopt_stack_data is not None:
            raise NotSupported(feature="Stack Adopt")
        checked = await self._preparation.new_stack(context, stack_name, wanted, stack_id=NO_ID)
        definition = checked.definition
        stack = StackRecord(
            id=StackId(NO_ID),
            name=stack_name,
            tenant=context.project_id or "",
            raw_template_id=TemplateId(0),
            action=Action.CREATE,
            status=Status.IN_PROGRESS,
            username=context.username,
            timeout=options.timeout_mins,
            disable_rollback=options.disable_rollback is not False,
            created_at=self._parts.now(),
        )
        shown = shown_stack(
            stack,
            options.tags or (),
            description=checked.template.description,
            parameters=definition.parameters.shown(),
        )
        for key in _OF_A_STACK_THAT_IS_THERE:
            del shown[key]
        shown["outputs"] = await planned_outputs(definition)
        shown["resources"] = await evaluate(
            planned_stack_resources, definition, stack, self._parts.settings.stack_limits
        )
        return shown

    # --- update ------------------------------------------------------------------------------

    async def preview_update_stack(
        self, context: RequestContext, stack_identity: Mapping[str, Any], **request: Any
    ) -> Json:
        """The resources by what an update would do to them, each in detail.

        The argument show_nested adds those of nested stacks; show_changes tells of each of them
        what changes and why (docs/beyond-heat.md).
        """
        wanted = Request(**request)
        current = await self._preparation.current(context, stack_identity)
        checked = await self._preparation.changed_stack(context, current, wanted)
        entries = await TreePreview(self._parts, context).of(
            current.stack, checked.definition, nested=bool(wanted.args.get(SHOW_NESTED))
        )
        answer: Json = {kind.value: [] for kind in Kind}
        for entry in entries:
            shown = dict(entry.shown)
            if wanted.args.get(SHOW_CHANGES):
                shown[CHANGES] = changes_of(entry.one)
            answer[entry.one.kind.value].append(shown)
        return answer


def changes_of(one: Previewed) -> Json:
    """What changes in a resource and why, with the values of hidden parameters masked."""
    return {
        "reason": one.reason,
        "refused": one.refused,
        "properties": [_shown_property(change) for change in one.properties],
    }


def _shown_property(change: PropertyChange) -> Json:
    masked = HIDDEN_TEXT if change.secret else None
    return {
        "name": change.name,
        "before": masked or change.before,
        "after": masked if change.secret and change.known else change.after,
        "known": change.known,
    }
