"""What a preview tells of a changed resource: its properties before and after, and why a new one.

Source: docs/beyond-heat.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from heat_core.resources import ResourceType, UpdateQuestion, bind
from heat_core.stack import ResourceDefinition, StackDefinition
from heat_core.stack.states import Status
from heat_core.template.function import Function, functions_in
from heat_core.template.functions.cfn import ParamRef
from heat_core.template.functions.references import GetParam

type Source = tuple[StackDefinition | None, ResourceDefinition | None]
"""where a value is written: a stack's definition and the resource in it"""


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """One property before and after.

    `known` false: what it becomes shows only once other resources are changed, and `after` is
    None. `secret`: one of the two comes from a hidden parameter.
    """

    name: str
    before: Any
    after: Any
    known: bool = True
    secret: bool = False


def property_changes(
    question: UpdateQuestion, unknown: Collection[str], sources: Iterable[Source]
) -> tuple[PropertyChange, ...]:
    """Each property whose value differs, by the schema of its own side; `unknown` ones in any case.

    None for another type: that one's properties are others. `sources` are the definitions that the
    two sides come from.
    """
    if is_another_type(question):
        return ()
    before = readable(type(question.resource), question.before.properties)
    after = readable(question.new_class, question.after.properties)
    written = tuple(sources)
    return tuple(
        PropertyChange(
            name=name,
            before=before.get(name),
            after=None if name in unknown else after.get(name),
            known=name not in unknown,
            secret=any(is_secret(*source, name) for source in written),
        )
        for name in dict.fromkeys([*after, *before, *sorted(unknown)])
        if name in unknown or before.get(name) != after.get(name)
    )


def readable(cls: type[ResourceType], data: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values that can be read, names of objects as the user wrote them."""
    try:
        props = bind(cls, data, find=False, ignore_errors=True)
    except (TypeError, ValueError):
        return {}
    values = {}
    for name in props:
        try:
            values[name] = props[name]
        except Exception:  # an old value may not fit the schema of today
            continue
    return values


def is_another_type(question: UpdateQuestion) -> bool:
    return question.resource.implementation() is not question.new_class.implementation()


def replacement_reason(question: UpdateQuestion, changed: Iterable[str]) -> str:
    """Why a new object is needed, in the order in which the decision looks."""
    view = question.resource.view
    if is_another_type(question):
        return f"The type changes from {question.before.type} to {question.after.type}."
    if view.status is Status.FAILED:
        return f"The resource is {view.action}_{view.status}."
    schema = question.new_class.properties
    fixed = [name for name in changed if name in schema and not schema[name].update_allowed]
    if fixed:
        listed = ", ".join(sorted(fixed))
        which = "property" if len(fixed) == 1 else "properties"
        return f"A change of {which} {listed} takes a new object."
    return f"The type {question.after.type} asks for a new object."


def is_secret(
    definition: StackDefinition | None, resource: ResourceDefinition | None, name: str
) -> bool:
    """Whether a property's value comes from a hidden parameter."""
    if definition is None or resource is None or resource.properties is None:
        return False
    hidden = {one.name for one in definition.parameters.of_template() if one.hidden}
    if not hidden:
        return False
    tree = resource.properties
    if not isinstance(tree, Function):
        tree = tree.get(name)
    return any(
        isinstance(function, GetParam | ParamRef) and _may_read(function.args, hidden)
        for function in functions_in(tree)
    )


def _may_read(arguments: Any, hidden: set[str]) -> bool:
    name = arguments[0] if isinstance(arguments, list) and arguments else arguments
    return not isinstance(name, str) or name in hidden
