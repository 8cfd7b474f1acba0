"""Runs the kind of conditions.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.stack.outputs import read_outputs
from heat_core.stack.resource_definition import read_resources
from heat_core.template import Scope, Template, resolve
from heat_core.template.scope import Resolution
from tests.conformance.vectors_codec import attempt, error_form, fault
from tests.conformance.vectors_surroundings import IDENTITY, template_of


def run_conditions(given: Mapping[str, Any]) -> dict[str, Any]:
    template = template_of(given)
    scope = _scope(template)
    names = template.version.names
    try:
        conditions = scope.conditions
    except Exception as error:  # compared with the vector's
        return {"error": error_form(error, phase="parse_conditions")}
    outcome: dict[str, Any] = {
        "validate": fault(conditions.validate),
        "conditions": {
            name: attempt(lambda name=name: _alone(template, name))
            for name in template.document.get(names.conditions) or ()
        },
    }
    scope.resource_names = template.resources
    resources = attempt(lambda: sorted(read_resources(template, scope)), phase="resources")
    outcome["enabled_resources"] = resources
    if "value" in resources:
        scope.resource_names = read_resources(template, scope)
    at = Resolution(scope, {})
    outcome["outputs"] = attempt(
        lambda: {
            name: attempt(lambda output=output: resolve(output.value, at))
            for name, output in read_outputs(template, scope).items()
        },
        phase="outputs",
    )
    return {"value": outcome}


def _alone(template: Template, name: str) -> Any:
    """One condition, nothing worked out before it."""
    return _scope(template).conditions.is_enabled(name)


def _scope(template: Template) -> Scope:
    return Scope(
        version=template.version,
        parameters=template.make_parameters(IDENTITY),
        files=template.files,
        mappings=template.mappings,
        conditions=template.conditions,
    )


RUNNERS = {"conditions": run_conditions}
