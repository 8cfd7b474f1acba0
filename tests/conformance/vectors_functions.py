"""Runs the kinds of functions.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.template import attribute_references, dependencies, parse, resolve, validate
from heat_core.template.parser import root
from tests.conformance.vectors_codec import attempt, encode, error_form, fault
from tests.conformance.vectors_surroundings import definition_of, nodes_of


def run_function(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        definition = definition_of(given)
    except Exception as error:  # compared with the vector's
        return {"error": error_form(error, phase="template")}
    scope = definition.scope
    try:
        tree = parse(scope.version.functions, scope, given["snippet"], root(given["path"]))
    except Exception as error:  # compared with the vector's
        return {"error": error_form(error, phase="parse")}
    nodes = nodes_of(given.get("resources"))
    at = definition.resolution(nodes)
    outcome = attempt(lambda: resolve(tree, at), phase="resolve")
    outcome["validate"] = fault(lambda: validate(tree, at, ["Value"]))
    found = attempt(lambda: list(dependencies(tree, at, given["path"])))
    outcome["dependencies"] = found.get("value", found)
    if "resources" in given:
        outcome["dep_attrs"] = _references(tree, at, definition)
    return outcome


def _references(tree: Any, at: Any, definition: Any) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for resource, key in attribute_references(tree, at):
        if resource in definition.resources:
            found.setdefault(resource, []).append(encode(key))
    return found


def run_outputs(given: Mapping[str, Any]) -> dict[str, Any]:
    definition = definition_of(given)
    nodes = nodes_of(given.get("resources"))

    def listed(name: str) -> dict[str, Any]:
        return {"output_key": name, "description": definition.outputs[name].description}

    def shown(name: str) -> dict[str, Any]:
        entry = listed(name)
        try:
            value = definition.resolve(definition.outputs[name].value, nodes)
            entry["output_value"] = encode(value)
        except Exception as error:  # goes into the output
            entry |= {"output_value": None, "output_error": str(error)}
        return entry

    return {
        "value": {
            "listed": attempt(lambda: {name: listed(name) for name in definition.outputs}),
            "shown": attempt(lambda: {name: shown(name) for name in definition.outputs}),
        }
    }


RUNNERS = {"function": run_function, "stack_outputs": run_outputs}
