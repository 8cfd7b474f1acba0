"""Stacks and resources that are not made yet, shown as if they were there.

Source: facts/formats.json (engine, preview_stack), vectors of the API checks (validate/preview).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

from heat_app.engine.formatting import shown_resource
from heat_core.procedure import (
    Evaluate,
    Finished,
    Pause,
    ProcedureIO,
    ProcedureRun,
    ServiceError,
    Sleep,
)
from heat_core.properties import Properties
from heat_core.resources import ResourceType, ResourceView, bind, read_shown_attributes
from heat_core.resources.nested import (
    StackType,
    child_definition,
    resource_of,
    surroundings_of,
)
from heat_core.stack import (
    NodeData,
    ResourceDefinition,
    ResourceId,
    ResourceRecord,
    StackDefinition,
    StackId,
    StackRecord,
)
from heat_core.stack.limits import StackLimits
from heat_core.stack.mistakes import users_mistake
from heat_core.template.function import Function, resolve

type Json = dict[str, Any]

IO = ProcedureIO()
NO_ID = "None"
"""what a stack that does not exist has for an id"""


def planned_resource(
    definition: StackDefinition,
    stack: StackRecord,
    name: str,
    nodes: Mapping[str, NodeData],
) -> Json:
    """A resource of the definition in detail, as it is before anything is done with it.

    Its attributes are those that follow from the definition alone; others are null.
    """
    written = definition.resources[name]
    row = ResourceRecord(id=ResourceId(0), uuid="", name=name, stack_id=stack.id)
    required_by = [
        other for other in definition.resources if name in definition.requires.get(other, ())
    ]
    shown = shown_resource(stack, row, written.type, required_by)
    frozen = written.freeze(definition, nodes)
    view = ResourceView(
        name=name,
        stack_id=stack.id,
        stack_name=stack.name,
        project_id=stack.tenant,
        properties=frozen.properties,
        metadata=frozen.metadata,
    )
    shown["description"] = written.description or ""
    shown["metadata"] = dict(frozen.metadata)
    shown["attributes"] = _foreseen(definition.resource_class(name)(view))
    return shown


def planned_stack_resources(
    definition: StackDefinition, stack: StackRecord, limits: StackLimits
) -> list[Any]:
    """All resources with their properties; one that is a stack of its own as a list of its own.

    StackValidationFailed for what a validation does not look at, such as a call in metadata.
    """
    shown = []
    for name in definition.resources:
        with users_mistake(definition.template.version.names.resources, name):
            shown.append(_planned(definition, stack, name, limits))
    return shown


def _planned(
    definition: StackDefinition, stack: StackRecord, name: str, limits: StackLimits
) -> Any:
    child = planned_child(definition, name, limits)
    if child is not None:
        return planned_stack_resources(child, planned_child_stack(child, stack, name), limits)
    shown = planned_resource(definition, stack, name, {})
    shown["properties"] = _properties(definition, definition.resources[name])
    return shown


def planned_child(
    definition: StackDefinition, name: str, limits: StackLimits
) -> StackDefinition | None:
    """The definition of the stack that a resource will be; None for one that is none.

    None, too, when its type cannot tell beforehand.
    """
    if not issubclass(definition.resource_class(name), StackType):
        return None
    at = surroundings_of(definition, name, limits=limits)
    resource = resource_of(at)
    try:
        document = resource.child_template(at)
    except NotImplementedError:
        return None
    return child_definition(resource, at, document, limits=limits, stack_id=NO_ID)


def planned_child_stack(
    child: StackDefinition, parent: StackRecord, resource_name: str
) -> StackRecord:
    """The nested stack as it would be stored, as far as answers show it."""
    return StackRecord(
        id=StackId(NO_ID),
        name=child.name or "",
        tenant=parent.tenant,
        raw_template_id=parent.raw_template_id,
        action=parent.action,
        status=parent.status,
        parent_resource_name=resource_name,
    )


def _properties(definition: StackDefinition, written: ResourceDefinition) -> Json:
    """The value of each property of the type; null for one that has none or cannot be read."""
    at = definition.resolution({})
    data = written.properties
    if isinstance(data, Function):
        data = resolve(data, at)
    props = bind(
        definition.resource_class(written.name),
        data,
        resolve=partial(resolve, at=at, nullable=True),
        description=written.description,
        find=False,
    )
    return {name: _value_or_none(props, name) for name in props}


def _value_or_none(props: Properties, name: str) -> Any:
    try:
        return props[name]
    except Exception:  # a value that cannot be read must not hide the others
        return None


# --- attributes ----------------------------------------------------------------------------------


def _foreseen(resource: ResourceType) -> Json:
    shown: Json = _without_services(partial(read_shown_attributes, IO, resource))
    return shown


def _without_services(procedure: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """What a procedure returns when every question to a service fails."""
    run = ProcedureRun(procedure())
    state = run.start()
    while not isinstance(state, Finished):
        match state:
            case Evaluate(work):
                state = run.answer(work())
            case Sleep() | Pause():
                state = run.answer(None)
            case _:
                state = run.throw(_no_object())
    return state.value


def _no_object() -> ServiceError:
    text = "There is no such object yet."
    return ServiceError("", 0, text, error_class="NotFound", text=text)
