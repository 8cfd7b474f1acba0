"""Resources with nested stacks, and a nested stack that answers from what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.environment import Environment
from heat_core.errors import InvalidTemplateAttribute, NotFound
from heat_core.properties import select_from_attribute
from heat_core.resources import ResourceView
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
            environment=Environment(environment or {}),
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


def validation_text(definition: StackDefinition, **more: Any) -> str:
    """The text of the first mistake of a definition; "" when there is none."""
    try:
        definition.validate(**more)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


__all__ = [
    "INNER",
    "FakeNested",
    "StackType",
    "cfn_definition_of",
    "definition_of",
    "members_of",
    "stage",
    "validation_text",
]
