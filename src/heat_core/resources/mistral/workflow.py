"""OS::Mistral::Workflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    PropertyUnspecifiedError,
    ResourcePropertyConflict,
    ResourcePropertyDependency,
    StackValidationFailed,
)
from heat_core.properties import (
    AllowedValues,
    Attr,
    CacheMode,
    Custom,
    Kind,
    Length,
    Prop,
    Properties,
    Rule,
    Support,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.mistral.mistral_type import MistralType
from heat_core.resources.unbuilt import Unbuilt

_MISTAKE = "Mistral resource validation error"


class Workflow(Unbuilt, MistralType):
    """A workflow."""

    name = "OS::Mistral::Workflow"
    support = Support(version="2015.1")
    entity = "workflows"
    needs_stored_credentials = True
    takes_signals = True
    always_replace_on_check_failed = False
    is_planned = False
    announced = frozenset({"resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "type": Prop.string(
            required=True, update_allowed=True, constraints=[AllowedValues(["direct", "reverse"])]
        ),
        "use_request_body_as_input": Prop.boolean(
            update_allowed=True, support=Support(version="6.0.0")
        ),
        "tags": Prop.list(update_allowed=True, support=Support(version="10.0.0")),
        "description": Prop.string(update_allowed=True),
        "input": Prop.map(update_allowed=True),
        "output": Prop.map(update_allowed=True),
        "params": Prop.map(update_allowed=True),
        "task_defaults": Prop.map(
            update_allowed=True,
            schema={
                "on_success": Prop.list(),
                "on_error": Prop.list(),
                "on_complete": Prop.list(),
                "requires": Prop.list(),
                "retry": Prop.map(),
                "wait_before": Prop.integer(),
                "wait_after": Prop.integer(),
                "pause_before": Prop.boolean(),
                "timeout": Prop.integer(),
                "concurrency": Prop.integer(support=Support(version="8.0.0")),
            },
            support=Support(version="5.0.0"),
        ),
        "tasks": Prop.list(
            required=True,
            update_allowed=True,
            constraints=[Length(1)],
            schema=Prop.map(
                schema={
                    "name": Prop.string(required=True),
                    "description": Prop.string(),
                    "input": Prop.map(),
                    "action": Prop.string(),
                    "workflow": Prop.string(constraints=[Custom("mistral.workflow")]),
                    "publish": Prop.map(),
                    "on_success": Prop.list(),
                    "on_error": Prop.list(),
                    "on_complete": Prop.list(),
                    "policies": Prop.map(
                        support=hidden(
                            "8.0.0",
                            "Write the policies directly into the task.",
                            previous=deprecated("5.0.0", previous=Support(version="2015.1")),
                        )
                    ),
                    "requires": Prop.list(),
                    "retry": Prop.map(support=Support(version="5.0.0")),
                    "wait_before": Prop.integer(support=Support(version="5.0.0")),
                    "wait_after": Prop.integer(support=Support(version="5.0.0")),
                    "pause_before": Prop.boolean(support=Support(version="5.0.0")),
                    "timeout": Prop.integer(support=Support(version="5.0.0")),
                    "with_items": Prop.string(support=Support(version="5.0.0")),
                    "keep_result": Prop.boolean(support=Support(version="5.0.0")),
                    "concurrency": Prop.integer(support=Support(version="8.0.0")),
                    "target": Prop.string(support=Support(version="5.0.0")),
                    "join": Prop.string(support=Support(version="6.0.0")),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "data": Attr(kind=Kind.MAP),
        "alarm_url": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
        "executions": Attr(kind=Kind.LIST),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(
                ["tasks", "pause_before"],
                value_name="policies",
                custom_value_path=("pause_before",),
            ),
            rule.replace(
                ["tasks", "wait_after"], value_name="policies", custom_value_path=("wait_after",)
            ),
            rule.replace(
                ["tasks", "wait_before"], value_name="policies", custom_value_path=("wait_before",)
            ),
            rule.replace(
                ["tasks", "timeout"], value_name="policies", custom_value_path=("timeout",)
            ),
            rule.replace(
                ["tasks", "concurrency"], value_name="policies", custom_value_path=("concurrency",)
            ),
            rule.replace(["tasks", "retry"], value_name="policies", custom_value_path=("retry",)),
            rule.delete(["tasks", "policies"]),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["type"] == "reverse" and not (props["params"] or {}).get("task_name"):
            raise StackValidationFailed(
                error=_MISTAKE,
                path=[self.view.name, "properties", "params"],
                message="'task_name' is not assigned in 'params' in case of reverse type workflow.",
            )
        for task in props["tasks"]:
            self._check_task(task, props["type"])

    def _check_task(self, task: Mapping[str, Any], kind: str) -> None:
        if task["workflow"] and task["action"]:
            raise ResourcePropertyConflict("workflow", "action")
        if not task["workflow"] and not task["action"]:
            raise PropertyUnspecifiedError("workflow", "action")
        if task["requires"] is not None and kind == "direct":
            raise StackValidationFailed(
                error=_MISTAKE,
                path=[self.view.name, "properties", "tasks", task["name"], "requires"],
                message=f"task {task['name']} contains property 'requires' in case of direct "
                "workflow. Only reverse workflows can contain property 'requires'.",
            )
        for policy in task["policies"] or ():
            if task.get(policy) is not None:
                refuse(f"Property policies and {policy} cannot be used both at one time.")
        if task["with_items"] is None and task["concurrency"] is not None:
            raise ResourcePropertyDependency(prop1="concurrency", prop2="with_items")
