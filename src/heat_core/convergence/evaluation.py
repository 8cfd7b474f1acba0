"""What a visit should do with its resource, from the definition and the stored state.

A procedure, because names and custom constraints may need a service to judge them; with types that
need none it runs through without asking anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from heat_core.convergence.node_events import Decision, EvaluationFailed, NodeEvaluated
from heat_core.convergence.node_step import DONE_IN, base_decision, template_tells
from heat_core.errors import (
    EntityNotFound,
    NotSupported,
    ResourceActionRestricted,
    StackValidationFailed,
)
from heat_core.procedure import ProcedureIO
from heat_core.resources import (
    Change,
    NoChange,
    Refused,
    Replace,
    ResourceType,
    ResourceView,
    UpdateQuestion,
    create_failure,
    nested,
    prepare_create,
    prepare_update,
    registry,
    resource_failure,
)
from heat_core.stack import FrozenDefinition, NodeData, ResourceDefinition, StackDefinition
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action
from heat_core.stack.timeouts import timeout_seconds

RETAIN = "Retain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """All that an evaluation looks at.

    `definition` is of the stack's template, `own_definition` of the template that the row was last
    brought to; `nodes` are the results of the nodes that this one waited for, by resource name.
    """

    stack: StackRecord
    row: ResourceRecord
    is_update: bool
    definition: StackDefinition
    own_definition: StackDefinition | None
    nodes: Mapping[str, NodeData]
    resume: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a procedure and the writes around it need to know.

    `requires_while_running` are the rows that the resource may depend on until the action is done
    (rules/h-updates.md#13). `replace_reason` set: the update starts and ends in a replacement.
    """

    type_name: str
    resource_class: type[ResourceType]
    template_id: TemplateId
    stored_properties: Mapping[str, Any]
    metadata: Mapping[str, Any]
    requires: tuple[ResourceId, ...] = ()
    requires_while_running: tuple[ResourceId, ...] = ()
    props: Mapping[str, Any] | None = None
    change: Change | None = None
    replace_reason: str | None = None
    retain: bool = False
    clear_replaced_by: bool = False
    definition: StackDefinition | None = None
    nodes: Mapping[str, NodeData] = field(default_factory=dict)
    """what a nested stack is made from besides the resource's own definition"""


def note_of_done(stack: StackRecord, plan: Plan) -> Mapping[str, str]:
    """What the row remembers of an action that has brought it, for later visits (is_brought).

    Only of a nested stack, whose update is never without effect.
    """
    if template_tells(stack) or not plan.resource_class.has_nested_stack:
        return {}
    return {DONE_IN: stack.current_traversal or ""}


async def evaluate(io: ProcedureIO, at: Situation) -> NodeEvaluated | EvaluationFailed:
    """Return the decision with its plan, or the resource's failure."""
    if not at.is_update:
        return _clean_up(at)
    if at.stack.action is Action.CHECK:
        return _check(at)
    if base_decision(at.row, at.stack, True) is Decision.CREATE or (
        at.resume and at.row.action is Action.CREATE
    ):
        return await _create(io, at)
    return await _update(io, at)


# --- clean-up --------------------------------------------------------------------------------


def clean_up_without_delete(row: ResourceRecord, stack: StackRecord) -> NodeEvaluated | None:
    """What a clean-up comes to that deletes nothing, by the row alone; None: it deletes."""
    decision = base_decision(row, stack, False)
    if decision is None:
        raise AssertionError("a clean-up is decided by the row alone")
    return None if decision is Decision.DELETE else NodeEvaluated(decision)


def _clean_up(at: Situation) -> NodeEvaluated:
    plan = delete_plan(at.stack, at.row, at.own_definition)
    return clean_up_without_delete(at.row, at.stack) or NodeEvaluated(Decision.DELETE, plan)


def _check(at: Situation) -> NodeEvaluated:
    """A check looks at the object by the definition that it was made from (rules/g#3, 7)."""
    plan = delete_plan(at.stack, at.row, at.own_definition)
    if plan.resource_class.supports("check"):
        return NodeEvaluated(Decision.CHECK, plan)
    if at.row.action is Action.INIT:
        return NodeEvaluated(Decision.NOTHING, plan)
    return NodeEvaluated(Decision.UNCHECKED, plan)


def delete_plan(
    stack: StackRecord, row: ResourceRecord, own_definition: StackDefinition | None
) -> Plan:
    """The plan to remove what the row stands for, by the definition that it was made from."""
    definition = None if own_definition is None else own_definition.resources.get(row.name)
    type_name = "" if definition is None else definition.type
    policy = None if definition is None else definition.deletion_policy
    external = definition is not None and definition.external_id is not None
    return Plan(
        type_name=type_name,
        resource_class=class_of(type_name, own_definition, row.name),
        template_id=stack.raw_template_id,
        stored_properties=row.properties or {},
        metadata=row.metadata or {},
        requires=row.requires,
        requires_while_running=row.requires,
        retain=external or (policy or "").lower() == RETAIN.lower(),
    )


def class_of(
    type_name: str, definition: StackDefinition | None, resource_name: str
) -> type[ResourceType]:
    """The class behind a row; a type that isn't known any more has nothing to act on."""
    try:
        return resource_class(type_name, definition, resource_name)
    except (EntityNotFound, StackValidationFailed):
        return ResourceType


def resource_class(
    type_name: str, definition: StackDefinition | None, resource_name: str
) -> type[ResourceType]:
    """The class of a type name as the stack's environment maps it, to a template too.

    An unknown name is an EntityNotFound, or StackValidationFailed from the environment's registry.
    """
    if definition is None:
        return registry.find(type_name)
    return nested.class_of(definition.template, type_name, resource_name)


# --- create ----------------------------------------------------------------------------------


async def _create(io: ProcedureIO, at: Situation) -> NodeEvaluated | EvaluationFailed:
    definition = at.definition.resources[at.row.name]
    plan: Plan | None = None
    try:
        cls = resource_class(definition.type, at.definition, at.row.name)
        frozen = await io.evaluate(lambda: definition.freeze(at.definition, at.nodes))
        plan = _plan(at, definition, cls, frozen)
        props = await prepare_create(io, cls, frozen.properties, description=definition.description)
    except Exception as error:
        return EvaluationFailed(
            str(resource_failure(error, at.row.name)),
            plan or _empty_plan(at, definition.type),
            str(create_failure(error, at.row.name)),
        )
    if at.resume and plan.stored_properties != (at.row.properties or {}):
        # What it reads of others has changed since it was cut: it would be made of two minds.
        return NodeEvaluated(Decision.REPLACE, plan)
    return NodeEvaluated(Decision.CREATE, replace(plan, props=props))


def _plan(
    at: Situation,
    definition: ResourceDefinition,
    cls: type[ResourceType],
    frozen: FrozenDefinition,
) -> Plan:
    requires = _required_rows(at.nodes)
    return Plan(
        type_name=definition.type,
        resource_class=cls,
        template_id=at.stack.raw_template_id,
        stored_properties=cls.stored_properties(frozen.properties),
        metadata=frozen.metadata,
        requires=requires,
        requires_while_running=_descending({*requires, *at.row.requires}),
        clear_replaced_by=at.stack.action is Action.ROLLBACK and at.row.replaced_by is not None,
        definition=at.definition,
        nodes=at.nodes,
    )


def _empty_plan(at: Situation, type_name: str) -> Plan:
    requires = _required_rows(at.nodes)
    return Plan(
        type_name=type_name,
        resource_class=ResourceType,
        template_id=at.stack.raw_template_id,
        stored_properties=at.row.properties or {},
        metadata=at.row.metadata or {},
        requires=requires,
        requires_while_running=_descending({*requires, *at.row.requires}),
    )


def _required_rows(nodes: Mapping[str, NodeData]) -> tuple[ResourceId, ...]:
    return _descending({node.id for node in nodes.values()})


def _descending(ids: set[ResourceId]) -> tuple[ResourceId, ...]:
    return tuple(sorted(ids, reverse=True))


# --- update ----------------------------------------------------------------------------------


async def _update(io: ProcedureIO, at: Situation) -> NodeEvaluated | EvaluationFailed:
    definition = at.definition.resources[at.row.name]
    plan: Plan | None = None
    try:
        new_class = resource_class(definition.type, at.definition, at.row.name)
        after = await io.evaluate(lambda: definition.freeze(at.definition, at.nodes))
        plan = _plan(at, definition, new_class, after)
        question = await io.evaluate(lambda: update_question(at, new_class, after))
        decision = await prepare_update(io, question)
    except Exception as error:
        return _refused(error, at, plan or _empty_plan(at, definition.type))
    if isinstance(decision, Refused):
        failed = _refused(decision.error, at, plan)
        return replace(failed, refused=_refusal(decision))
    if isinstance(decision, Replace):
        if decision.started or at.resume:
            return NodeEvaluated(Decision.UPDATE, replace(plan, replace_reason=decision.reason))
        how = Decision.REPLACE if decision.of_type else Decision.MAKE_ROOM
        return NodeEvaluated(how, plan, decision.reason)
    if at.resume:
        try:
            change = await _everything(io, new_class, after, definition.description)
        except Exception as error:
            return _refused(error, at, plan)
        return NodeEvaluated(Decision.UPDATE, replace(plan, change=change))
    if isinstance(decision, NoChange):
        return NodeEvaluated(Decision.UNCHANGED, replace(plan, requires=at.row.requires))
    return NodeEvaluated(Decision.UPDATE, replace(plan, change=decision.change))


def update_question(
    at: Situation, new_class: type[ResourceType], after: FrozenDefinition
) -> UpdateQuestion:
    """What an update of the row to this definition depends on: for doing it and for a preview."""
    before = _stored_definition(at, after)
    old_class = class_of(before.type, at.own_definition, at.row.name)
    if _substituted(old_class, new_class):
        old_class = new_class
    return UpdateQuestion(
        resource=old_class(view_of(at.row, at.stack, old_class)),
        new_class=new_class,
        before=before,
        after=after,
        description=at.definition.resources[at.row.name].description,
        restricted=at.definition.template.environment.registry.restricted_actions(at.row.name),
    )


def _refused(error: Exception, at: Situation, plan: Plan) -> EvaluationFailed:
    return EvaluationFailed(str(resource_failure(error, at.row.name)), plan)


def _refusal(decision: Refused) -> str | None:
    """What an event says of an update that does not begin (rules/h-updates.md#7, 9).

    Nothing for another external id; None: the update fails after it has begun.
    """
    match decision:
        case Refused(ResourceActionRestricted(), started=False):
            return str(decision.error)
        case Refused(NotSupported(), started=False):
            return ""
    return None


def _substituted(old: type[ResourceType], new: type[ResourceType]) -> bool:
    """Whether the old type names the new one as its substitute (rules/h-updates.md#5)."""
    return old is not new and old.support.substitute == new.name


def _stored_definition(at: Situation, after: FrozenDefinition) -> FrozenDefinition:
    """The old definition with the stored data in it (rules/d-properties.md#33)."""
    own = at.own_definition
    definition = None if own is None else own.resources.get(at.row.name)
    if own is None or definition is None:
        return replace(after, properties=at.row.properties or {}, metadata=at.row.metadata or {})
    return definition.freeze(own, at.nodes, properties=at.row.properties or {})


async def _everything(
    io: ProcedureIO, cls: type[ResourceType], after: FrozenDefinition, description: str
) -> Change:
    """After a cut nobody knows how far the update came: set all that may be set."""
    values = await prepare_create(io, cls, after.properties, description=description)
    names = frozenset(name for name, prop in cls.properties.items() if prop.update_allowed)
    return Change(changed=names & values.keys(), before=values, after=values)


def view_of(row: ResourceRecord, stack: StackRecord, cls: type[ResourceType]) -> ResourceView:
    """The row as its type sees it."""
    return ResourceView(
        name=row.name,
        uuid=row.uuid,
        stack_id=stack.id,
        stack_name=stack.name,
        project_id=stack.tenant,
        action=row.action,
        status=row.status,
        physical_id=row.physical_id,
        physical_name=physical_resource_name(
            stack.name, row.name, row.uuid, cls.physical_name_limit
        ),
        properties=row.properties or {},
        metadata=row.metadata or {},
        data=row.data,
        stack_timeout_seconds=timeout_seconds(stack),
    )
