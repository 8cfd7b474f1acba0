"""Runs the kinds of environment.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_app.native.stack_data import StackData
from heat_core.environment import (
    EntryKind,
    Environment,
    merge_environment_files,
    merge_strategy,
    with_all_sections,
)
from heat_core.template import Template
from tests.conformance.vectors_codec import attempt, error_form, fault

_KINDS = {EntryKind.BUILT_IN: "Plugin", EntryKind.TEMPLATE: "Template"}


def run_merge(given: Mapping[str, Any]) -> dict[str, Any]:
    def merge() -> dict[str, Any]:
        template = Template(given["template"], files=given["files"])
        return merge_environment_files(
            given["environment_files"],
            given["files"],
            with_all_sections(given["environment"]),
            template.all_parameter_schemata(),
        )

    outcome = attempt(merge)
    if "error" in outcome:
        return outcome
    merged = outcome["value"]
    stored = attempt(lambda: Environment.from_dict(merged).user_env_as_dict())
    return {"value": {"merged": merged, "stored": stored}}


def run_strategy(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"value": merge_strategy(given["strategies"], given["parameter"], given["earlier"])}


def run_request(given: Mapping[str, Any]) -> dict[str, Any]:
    return attempt(lambda: StackData(given["request"], max_template_size=524288).environment())


def run_child(given: Mapping[str, Any]) -> dict[str, Any]:
    parent = Environment.from_dict(given["environment"])
    return attempt(
        lambda: parent.for_child(
            given["child_params"], resource_name=given["child_resource_name"]
        ).user_env_as_dict()
    )


def run_registry(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        environment = Environment.from_dict(given["environment"])
    except Exception as error:  # compared with the vector's
        return {"error": error_form(error)}
    registry = environment.registry
    outcome: dict[str, Any] = {}
    outcome["user_env"] = attempt(environment.user_env_as_dict)
    outcome["stored_env"] = attempt(environment.stored)
    outcome["params"] = environment.parameters
    outcome["param_defaults"] = environment.parameter_defaults
    if "lookups" in given:
        outcome["lookups"] = [
            _look_up(Environment.from_dict(given["environment"]), *lookup)
            for lookup in given["lookups"]
        ]
    if "hooks" in given:
        outcome["hooks"] = [registry.has_hook(*asked) for asked in given["hooks"]]
    if "restricted" in given:
        outcome["restricted"] = [
            sorted(registry.restricted_actions(name)) for name in given["restricted"]
        ]
    return {"value": outcome}


def _look_up(environment: Environment, type_name: str, resource: str | None) -> dict[str, Any]:
    registry = environment.registry

    def info() -> dict[str, Any]:
        entry = registry.find(type_name, resource)
        shown = {
            "kind": _KINDS[entry.kind],
            "name": entry.name,
            "path": list(entry.path),
            "user_resource": entry.is_user,
        }
        if entry.kind is EntryKind.TEMPLATE:
            shown["template_name"] = entry.value
        return shown

    error = fault(lambda: registry.find_for(type_name, resource))
    return {"info": attempt(info), "class_error": error}


RUNNERS = {
    "environment_merge": run_merge,
    "merge_strategy": run_strategy,
    "environment_request": run_request,
    "environment_child": run_child,
    "environment_registry": run_registry,
}
