"""Runs updates.jsonl: what becomes of a resource of an old template under a new one.

Types that are not built yet make a vector fail, not pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from heat_core.environment import Environment
from heat_core.errors import EntityNotFound, StackValidationFailed
from heat_core.resources import (
    NoChange,
    Refused,
    Replace,
    ResourceType,
    ResourceView,
    UpdateInPlace,
    UpdateQuestion,
    bind,
    decide_update,
    registry,
)
from heat_core.stack import StackDefinition
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.states import Action, Status
from heat_core.template import Template
from tests.conformance.vectors_properties import error_form

_STACK_NAME = "demo-stack"
_STACK_ID = "3f0c2a9e-51b7-4c7d-9d53-8f3e5a6b7c01"
_PROJECT_ID = "5d9b7a1c0e3f4b6d8a2c1e0f9b8d7c6a"
_UUID = "7f3c1c52-6a54-4b43-8c42-5f1b7c1f8e11"


def _definition(side: Mapping[str, Any], environment: Mapping[str, Any]) -> StackDefinition:
    content = {**environment, "parameters": side.get("parameters", {})}
    template = Template(
        side["template"], files=side.get("files", {}), environment=Environment.from_dict(content)
    )
    return StackDefinition.build(
        template, stack_name=_STACK_NAME, stack_id=_STACK_ID, project_id=_PROJECT_ID
    )


def _class_of(definition: StackDefinition, name: str) -> type[ResourceType]:
    try:
        return registry.find(definition.type_name(name))
    except EntityNotFound as error:
        raise StackValidationFailed(message=str(error)) from error


def run_update(given: Mapping[str, Any]) -> dict[str, Any]:
    environment = given.get("environment", {})
    name = given["resource"]
    action, status = given["state"]
    try:
        old = _definition(given["old"], environment)
        new = _definition(given["new"], environment)
        before = old.resources[name].freeze(old, {})
        after = new.resources[name].freeze(new, {})
        resource = _class_of(old, name)(
            ResourceView(
                name=name,
                uuid=_UUID,
                stack_id=_STACK_ID,
                stack_name=_STACK_NAME,
                project_id=_PROJECT_ID,
                action=Action(action),
                status=Status(status),
                physical_id=given.get("physical_id"),
                physical_name=physical_resource_name(_STACK_NAME, name, _UUID),
                properties=before.properties,
            )
        )
        question = UpdateQuestion(
            resource=resource,
            new_class=_class_of(new, name),
            before=before,
            after=after,
            description=new.resources[name].description,
            restricted=new.template.environment.registry.restricted_actions(name),
        )
        decision = decide_update(question)
        if isinstance(decision, UpdateInPlace):
            bind(question.new_class, new.resources[name].properties)
    except Exception as error:  # every outcome is compared with the vector's
        return {"error": error_form(error)}
    return _form(decision, question)


def _form(decision: Any, question: UpdateQuestion) -> dict[str, Any]:
    match decision:
        case NoChange():
            form = {"decision": "none"}
            if question.after.external_id is not None:
                form["why"] = "external"
            return {"value": form}
        case Replace():
            form = {"decision": "replace"}
            if type(question.resource) is not question.new_class:
                form["why"] = "type"
            return {"value": form}
        case UpdateInPlace(change=change):
            return {
                "value": {
                    "decision": "update",
                    "changed_properties": change.difference,
                    "metadata_changed": change.metadata_changed,
                    "properties_changed": change.properties_changed,
                    "update_policy_changed": change.update_policy_changed,
                }
            }
        case Refused(error=error):
            return {"error": error_form(error)}
    raise AssertionError(f"no such decision: {decision!r}")


RUNNERS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "resource_update": run_update,
}
