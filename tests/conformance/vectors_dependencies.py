"""Runs the kind of dependencies.jsonl."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from heat_core.graph import Graph
from heat_core.stack import StackDefinition
from heat_core.stack.validation import dependency_order
from tests.conformance.vectors_codec import attempt, error_form
from tests.conformance.vectors_surroundings import definition_of


def run_dependencies(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        definition = definition_of(given)
        dependency_order(definition)
    except Exception as error:  # compared with the vector's
        return {"error": error_form(error, phase="explicit")}
    at = definition.resolution({})
    explicit = attempt(lambda: _shown(definition.explicit_requires))
    full = attempt(lambda: _shown(definition.requires))
    return {
        "value": {
            "explicit": explicit,
            **({"full": full} if full != explicit else {}),
            "required_names": attempt(
                lambda: {
                    name: sorted(resource.required_names(at))
                    for name, resource in definition.resources.items()
                }
            ),
            "referenced_attrs": attempt(lambda: _attributes(definition)),
        }
    }


def _shown(requires: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    graph: Graph[str] = Graph.from_edges(
        (name, needed) for name in requires for needed in (requires[name] or (None,))
    )
    level: dict[str, int] = {}
    for name in graph.topological():
        level[name] = max((level[needed] + 1 for needed in graph.requires(name)), default=0)
    return {
        "edges": sorted(map(list, graph.edges()), key=str),
        "requires": {name: list(graph.requires(name)) for name in graph},
        "required_by": {name: list(graph.required_by(name)) for name in graph},
        "leaves": list(graph.leaves()),
        "roots": list(graph.roots()),
        "level": level,
    }


def _attributes(definition: StackDefinition) -> dict[str, Any]:
    found = {}
    for name in definition.resources:
        by_resources = definition.referenced_attributes(name)
        by_outputs = definition.outputs_attributes(name)
        if by_resources or by_outputs:
            found[name] = {
                "by_resources": sorted(map(_key, by_resources), key=json.dumps),
                "by_outputs": sorted(map(_key, by_outputs), key=json.dumps),
            }
    return found


def _key(key: Any) -> Any:
    return list(key) if isinstance(key, tuple) else key


RUNNERS = {"dependencies": run_dependencies}
