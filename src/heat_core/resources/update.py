"""Whether an update changes a resource in place, replaces it, or leaves it alone.

One pure function decides, for the update itself and for its preview alike, in Heat's order
(rules/h-updates.md#7-16). Part of the decision falls before the resource enters UPDATE IN_PROGRESS
and part after; `started` tells which, because the stored states differ.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from heat_core.errors import (
    NotSupported,
    ResourceActionRestricted,
    StackValidationFailed,
    UpdateReplace,
)
from heat_core.procedure import ProcedureIO
from heat_core.properties import Answers, Prop, Properties, changed_names
from heat_core.resources.contract import Change, ResourceType
from heat_core.resources.inputs import bind, with_answers
from heat_core.stack.states import Action, Status

PROMOTED_REASON = "Update status to COMPLETE for FAILED resource neither update nor replace."


class Definition(Protocol):
    """A resource's definition with every function resolved (rules/h-updates.md#11)."""

    @property
    def type(self) -> str: ...
    @property
    def properties(self) -> Mapping[str, Any] | None: ...
    @property
    def metadata(self) -> Mapping[str, Any] | None: ...
    @property
    def update_policy(self) -> Mapping[str, Any] | None: ...
    @property
    def external_id(self) -> str | None: ...
    @property
    def given(self) -> Collection[str]:
        """Names of the fields that the template has: an absent one differs from an empty one."""


@dataclass(frozen=True, slots=True)
class NoChange:
    """Nothing to do but to note the new template.

    `promote`: the resource is FAILED and becomes COMPLETE with PROMOTED_REASON (rules/h#12).
    """

    promote: bool = False


@dataclass(frozen=True, slots=True)
class UpdateInPlace:
    """Run start_update and finish_update with this change."""

    change: Change


@dataclass(frozen=True, slots=True)
class Replace:
    """Make a new object. `reason` is the status reason if the update had `started` (rules/h#15).

    `of_type`: because the type is another; then the old object needn't make room for the new one.
    """

    reason: str
    started: bool = False
    of_type: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The update fails with this error; `started` as above (rules/h-updates.md#7, 9, 13b)."""

    error: Exception
    started: bool = False


type UpdateDecision = NoChange | UpdateInPlace | Replace | Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateQuestion:
    """All that the decision depends on.

    `resource` is the existing one, of the class of its old type (or of a substitute for it,
    rules/h#5). `before` is the old definition with the stored properties in place, `after` the new
    one, both resolved. `restricted`: the environment's restricted_actions of the resource.
    """

    resource: ResourceType
    new_class: type[ResourceType]
    before: Definition
    after: Definition
    description: str | None = None
    restricted: Collection[str] = ()
    preview: bool = False
    nested_state: tuple[Action, Status] | None = None
    """state of the resource's nested stack; looked at only when the resource is CHECK FAILED"""


def decide_update(question: UpdateQuestion, answers: Answers | None = None) -> UpdateDecision:
    """The decision, with what services have said so far; without `answers` none is asked."""
    resource, after = question.resource, question.after
    if resource.implementation() is not question.new_class.implementation():
        if "replace" in question.restricted:
            return Refused(ResourceActionRestricted(action="replace"))
        return Replace(_replacement_text(resource.view.name), of_type=True)
    if question.before.external_id != after.external_id:
        feature = f"Update to property external_id of {resource.view.name} ({question.before.type})"
        return Refused(NotSupported(feature=feature))
    if after.external_id is not None:
        return _no_change(resource)
    if resource.never_updates:
        return _no_change(resource)

    before_props, after_props = _both_properties(question, answers)
    if question.restricted:
        refused = _restricted(question, before_props, after_props)
        if refused is not None:
            return refused
    try:
        needed = _needs_update(question, before_props, after_props)
    except UpdateReplace as error:
        return Replace(str(error))
    except Exception as error:
        return Refused(error)
    if not needed:
        return _no_change(resource)
    try:
        after_props.validate()
        return UpdateInPlace(_change(question, before_props, after_props))
    except UpdateReplace as error:
        return Replace(str(error), started=True)
    except Exception as error:
        return Refused(error, started=True)


async def prepare_update(io: ProcedureIO, question: UpdateQuestion) -> UpdateDecision:
    """The decision, with names resolved and custom constraints checked by their services.

    Of a resource that is CHECK FAILED the nested stack is looked at first.
    """
    view = question.resource.view
    if question.resource.has_nested_stack and (view.action, view.status) == _FOUND_BROKEN:
        question = replace(question, nested_state=await nested_state(io, question.resource))
    return await with_answers(io, lambda answers: decide_update(question, answers))


async def nested_state(io: ProcedureIO, resource: ResourceType) -> tuple[Action, Status] | None:
    """The state of the resource's nested stack, None where there is none (any more)."""
    if not resource.has_nested_stack or resource.view.physical_id is None:
        return None
    found = await io.look_at_child(resource.view.physical_id)
    return None if found is None else (Action(found.action), Status(found.status))


def _no_change(resource: ResourceType) -> NoChange:
    return NoChange(promote=resource.view.status is Status.FAILED)


def _both_properties(
    question: UpdateQuestion, answers: Answers | None
) -> tuple[Properties, Properties]:
    # A template's class changes with its content: each side has a schema of its own.
    old_class = type(question.resource)
    after = bind(
        question.new_class,
        question.after.properties,
        answers=answers,
        description=question.description,
        refine=False,
        predecessor=bind(old_class, question.before.properties, find=False),
    )
    before = bind(
        old_class,
        question.before.properties,
        answers=answers,
        description=question.description,
        ignore_errors=True,
        refine=False,
    )
    return before, after


def _needs_update(
    question: UpdateQuestion, before_props: Properties, after_props: Properties
) -> bool:
    """rules/h-updates.md#10, #25; UpdateReplace when only a new object will do.

    A nested stack is always updated: the resources in it decide for themselves. One that was found
    broken by a check is updated too, one that a user marked unhealthy is replaced.
    """
    resource = question.resource
    if not resource.has_nested_stack:
        return _differs(question, before_props, after_props)
    view = resource.view
    if view.physical_id is None:
        _differs(question, before_props, after_props)
    elif (view.action, view.status) == _FOUND_BROKEN and question.nested_state != _FOUND_BROKEN:
        raise _replacement(resource)
    return True


_FOUND_BROKEN = (Action.CHECK, Status.FAILED)


def _differs(question: UpdateQuestion, before_props: Properties, after_props: Properties) -> bool:
    resource = question.resource
    view = resource.view
    if view.status is Status.FAILED and (
        (view.action is Action.CHECK and resource.always_replace_on_check_failed)
        or resource.needs_replace_failed()
    ):
        raise _replacement(resource)
    if (view.action, view.status) == (Action.DELETE, Status.COMPLETE):
        raise _replacement(resource)
    never_made = (view.action, view.status) == (Action.INIT, Status.COMPLETE)
    if never_made and not question.preview:
        raise _replacement(resource)
    if resource.needs_replace(after_props):
        raise _replacement(resource)
    if question.before != question.after:
        return True
    try:
        return dict(before_props) != dict(after_props)
    except ValueError:
        return True


def _change(question: UpdateQuestion, before_props: Properties, after_props: Properties) -> Change:
    """rules/h-updates.md#13-14; UpdateReplace or NotSupported when it cannot be done in place."""
    resource, before, after = question.resource, question.before, question.after
    changed = changed_names(before_props, after_props)
    change = Change(
        changed=changed,
        before=_readable(before_props),
        after=_readable(after_props),
        properties_changed=_differ("properties", before, after),
        metadata_changed=_differ("metadata", before, after),
        update_policy_changed=_differ("update_policy", before, after),
    )
    if change.of_definition and resource.needs_replace_with_change(change):
        raise _replacement(resource)
    check_allowed(resource, before.type, change, after_props.schema)
    return change


def check_allowed(
    resource: ResourceType, type_name: str, change: Change, schema: Mapping[str, Prop]
) -> None:
    """Raise unless these properties can change in place (rules/h-updates.md#13b-d).

    NotSupported for an immutable property, UpdateReplace where only a new object will do.
    """
    forbidden = sorted(name for name in change.changed if schema[name].immutable)
    if forbidden:
        feature = (
            f"Update to properties {', '.join(forbidden)} of {resource.view.name} ({type_name})"
        )
        raise NotSupported(feature=feature)
    if change.changed and resource.needs_replace_with_prop_diff(change):
        raise _replacement(resource)
    if any(not schema[name].update_allowed for name in change.changed):
        raise UpdateReplace(resource.view.name)


def _differ(field: str, before: Definition, after: Definition) -> bool:
    if (field in before.given) != (field in after.given):
        return True
    return bool(getattr(before, field) != getattr(after, field))


def _readable(props: Properties) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in props:
        try:
            values[name] = props[name]
        except (TypeError, ValueError, StackValidationFailed):
            continue
    return values


def _restricted(
    question: UpdateQuestion, before_props: Properties, after_props: Properties
) -> Refused | None:
    """rules/h-updates.md#9: decide silently, and refuse what the environment forbids."""
    try:
        if not _needs_update(question, before_props, after_props):
            return None
        _change(question, before_props, after_props)
    except UpdateReplace:
        if "replace" in question.restricted:
            return Refused(ResourceActionRestricted(action="replace"))
        return None
    except Exception as error:
        return Refused(error)
    if "update" in question.restricted:
        return Refused(ResourceActionRestricted(action="update"))
    return None


def _replacement(resource: ResourceType) -> UpdateReplace:
    return UpdateReplace(str(resource))


def _replacement_text(subject: str) -> str:
    return str(UpdateReplace(subject))
