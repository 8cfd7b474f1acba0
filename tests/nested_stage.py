"""Resources with nested stacks, and a nested stack that answers from what it is given."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any

from heat_core.environment import Environment
from heat_core.errors import InvalidTemplateAttribute, NotFound
from heat_core.procedure import (
    ChildState,
    CreateChild,
    DeleteChild,
    FindChild,
    Finished,
    LookAtChild,
    ProcedureIO,
    ProcedureRun,
    Sleep,
    StoreCreated,
    StoreData,
    SurveyChild,
    UpdateChild,
)
from heat_core.properties import select_from_attribute
from heat_core.resources import Change, ResourceView
from heat_core.resources.nested import (
    Member,
    Members,
    StackType,
    Surroundings,
    resource_of,
    surroundings_of,
)
from heat_core.stack import Action, StackDefinition
from heat_core.template import Downloads, Template

IO = ProcedureIO()
VERSION = "2021-04-16"
INNER = """
heat_template_version: 2018-08-31
description: inner
parameters:
  need: {type: string}
  size: {type: number, default: 2}
resources:
  v: {type: OS::Heat::Value, properties: {value: {get_param: need}}}
outputs:
  out: {value: {get_attr: [v, value]}}
"""


def definition_of(
    resources: Mapping[str, Any],
    *,
    files: Mapping[str, str] | None = None,
    environment: Mapping[str, Any] | None = None,
    downloads: Downloads | None = None,
    **sections: Any,
) -> StackDefinition:
    """A stack "s" of HOT resources."""
    return StackDefinition.build(
        Template(
            {"heat_template_version": VERSION, "resources": resources, **sections},
            files={"inner.yaml": INNER} if files is None else files,
            environment=Environment.of_stack(environment or {}),
            downloads=downloads,
        ),
        stack_name="s",
        stack_id="sid",
        project_id="p",
    )


def cfn_definition_of(resources: Mapping[str, Any], **sections: Any) -> StackDefinition:
    """A stack "s" of CloudFormation resources."""
    document = {"HeatTemplateFormatVersion": "2012-12-12", "Resources": resources, **sections}
    return StackDefinition.build(Template(document), stack_name="s", stack_id="sid", project_id="p")


def members_of(*names: str, template: Mapping[str, Any] | None = None, failed: str = "") -> Members:
    """Members in the order of their age; `failed` names those that failed, one letter each."""
    return Members.of(
        (
            Member(
                name,
                "FAILED" if name in failed else "COMPLETE",
                created_at=age,
                reference_id=f"ref-{name}",
                physical_id=f"id-{name}",
            )
            for age, name in enumerate(names)
        ),
        template,
    )


def stage(
    definition: StackDefinition,
    name: str = "g",
    *,
    exists: bool = False,
    data: Mapping[str, str] | None = None,
    action: Action = Action.INIT,
    **more: Any,
) -> tuple[Any, Surroundings]:
    """A resource with its surroundings; `more` goes to these."""
    at = surroundings_of(definition, name, **more)
    view = ResourceView(
        name=name,
        stack_name="s",
        stack_id="sid",
        project_id="p",
        action=action,
        physical_id="nested" if exists else None,
        data=data or {},
    )
    return resource_of(at, view), at


class FakeNested:
    """A nested stack with these outputs and members.

    An output that is an exception is raised. Attributes are given by member.
    """

    def __init__(
        self,
        outputs: Mapping[str, Any] | None = None,
        members: Members | None = None,
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self._outputs = outputs or {}
        self._members = Members() if members is None else members
        self._attributes = attributes or {}

    async def members(self) -> Members:
        return self._members

    async def output(self, name: str) -> Any:
        if name not in self._outputs:
            raise NotFound(f"Specified output key {name} not found.")
        value = self._outputs[name]
        if isinstance(value, Exception):
            raise value
        return value

    async def member_reference(self, name: str) -> Any:
        return f"ref-{name}"

    async def member_attribute(self, name: str, path: tuple[Any, ...]) -> Any:
        known = self._attributes.get(name, {})
        if path[0] not in known:
            raise InvalidTemplateAttribute(resource=name, key=path[0])
        return select_from_attribute(known[path[0]], path[1:])


class Stage:
    """Steps the procedures of a resource with a nested stack that does what it is told.

    `steps` are what it was told and the pauses, in order: sorted names of members, or a word. An
    operation ends COMPLETE, unless `fails` has a reason for its number (from 1).
    """

    def __init__(
        self,
        definition: StackDefinition,
        name: str = "g",
        *,
        members: Members | None = None,
        data: Mapping[str, str] | None = None,
        fails: Mapping[int, str] | None = None,
        timeout_seconds: float = 3600,
    ) -> None:
        self.definition = definition
        self.name = name
        self.members = members
        self.data = dict(data or {})
        self.fails = fails or {}
        self.timeout_seconds = timeout_seconds
        self.physical_id = None if members is None else "nested"
        self.steps: list[Any] = []
        self.requests: list[Any] = []
        self.new_name = iter(f"new{number}" for number in range(100)).__next__
        self._operations = 0
        self.state: ChildState | None = ChildState("CREATE", "COMPLETE", "")
        self.made: str | None = None
        """what is found when a nested stack is looked for by its name"""

    @property
    def resource(self) -> Any:
        """As the driver makes it for the next step."""
        view = ResourceView(
            name=self.name,
            stack_name="s",
            stack_id="sid",
            project_id="p",
            physical_id=self.physical_id,
            data=self.data,
            stack_timeout_seconds=self.timeout_seconds,
        )
        return resource_of(self._at(), view)

    def run(self, procedure: Coroutine[Any, Any, Any]) -> Any:
        """What the procedure returns; its end without one is None."""
        run = ProcedureRun(procedure)
        state = run.start()
        while not isinstance(state, Finished):
            self.requests.append(state)
            state = run.answer(self._answer(state))
        return state.value

    def create(self) -> None:
        self.run(self.resource.start_create(IO, {}))
        self.run(self.resource.finish_create(IO))

    def update(self, *changed: str) -> None:
        change = Change(changed=frozenset(changed), before={}, after={})
        self.run(self.resource.start_update(IO, change))
        self.run(self.resource.finish_update(IO, change))

    def _at(self) -> Surroundings:
        return surroundings_of(
            self.definition, self.name, members=self.members or Members(), new_name=self.new_name
        )

    def _answer(self, request: Any) -> Any:
        match request:
            case SurveyChild():
                return self._at()
            case CreateChild(document):
                self._becomes("CREATE", document)
                return "nested"
            case UpdateChild(_, document):
                self._becomes("UPDATE", document)
            case StoreCreated(physical_id):
                self.physical_id = physical_id
            case StoreData(data):
                self.data.update({one.key: one.value or "" for one in data})
            case LookAtChild():
                return self.state if self.physical_id else None
            case FindChild():
                return self.made
            case Sleep(seconds):
                self.steps.append(seconds)
            case DeleteChild():
                self.steps.append("DeleteChild")
                self.state = None
            case _:
                self.steps.append(type(request).__name__)
        return None

    def _becomes(self, action: str, document: Any) -> None:
        at = self._at()
        resource = resource_of(at)
        made = resource.child_template(at) if document is None else document
        names = list(made.get("resources", {}))
        self.steps.append(sorted(names))
        known = {one.name: one for one in (self.members or Members()).all}
        ages = {name: index for index, name in enumerate([*known, *names])}
        self.members = Members.of(
            (known.get(name) or Member(name, created_at=ages[name]) for name in names), made
        )
        self._operations += 1
        reason = self.fails.get(self._operations)
        self.state = ChildState(action, "FAILED" if reason else "COMPLETE", reason or "")


def validation_text(definition: StackDefinition, **more: Any) -> str:
    """The text of the first mistake of a definition; "" when there is none."""
    try:
        definition.validate(**more)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


__all__ = [
    "INNER",
    "IO",
    "FakeNested",
    "StackType",
    "Stage",
    "cfn_definition_of",
    "definition_of",
    "members_of",
    "stage",
    "validation_text",
]
