"""Runs the kinds of parsing.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.environment import parse_environment
from heat_core.stack import StackDefinition
from heat_core.template import Template, parse_text, resolve
from tests.conformance.vectors_codec import attempt, error_form, fault
from tests.conformance.vectors_surroundings import ID, NAME, PROJECT, definition_of, template_of


def run_template(given: Mapping[str, Any]) -> dict[str, Any]:
    return attempt(lambda: parse_text(_text(given)))


def _text(given: Mapping[str, Any]) -> Any:
    if "text_from" not in given:
        return given["text"]
    made = given["text_from"]
    room = made["total_length"] - len(made["prefix"])
    return made["prefix"] + made["repeat"] * (room // len(made["repeat"]))


def run_size(given: Mapping[str, Any]) -> dict[str, Any]:
    outcome = attempt(lambda: parse_text(_text(given)))
    if "value" in outcome:
        return {"value": {"$gen": {"length_of_d": len(outcome["value"]["d"])}}}
    return outcome


def run_environment(given: Mapping[str, Any]) -> dict[str, Any]:
    return attempt(lambda: parse_environment(given["text"]))


def run_version(given: Mapping[str, Any]) -> dict[str, Any]:
    def version() -> dict[str, Any]:
        template = Template(given["template"])
        key = template.version.key
        return {
            "version": [key, given["template"][key]],
            "hot": template.version.dialect == "hot",
        }

    return attempt(version)


def run_sections(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        template = template_of(given)
    except Exception as error:  # compared with the vector's
        return {"error": error_form(error)}

    def build() -> StackDefinition:
        # Each section is recorded by itself: mistakes in parameters don't show in the others.
        document = dict(given["template"])
        if fault(template.parameter_schemata):
            del document[template.version.names.parameters]
        return StackDefinition.build(
            Template(document), stack_name=NAME, stack_id=ID, project_id=PROJECT
        )

    return {
        "value": {
            "validate": fault(template.validate_sections),
            "description": attempt(lambda: template.description),
            "mappings": attempt(lambda: template.mappings),
            "parameters": attempt(lambda: sorted(template.parameter_schemata(), key=str)),
            "resources": attempt(lambda: sorted(build().resources, key=str)),
            "outputs": attempt(
                lambda: {name: output.as_hot() for name, output in build().outputs.items()}
            ),
        }
    }


def run_resource(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        definition = definition_of(given)
        resources = definition.resources
    except Exception as error:  # compared with the vector's
        return {"error": error_form(error)}
    if given["resource"] not in resources:
        return {"value": None}
    resource = resources[given["resource"]]
    at = definition.resolution({})
    return {
        "value": {
            "type": resource.type,
            "properties": resolve(resource.properties, at),
            "metadata": resolve(resource.metadata, at),
            "depends_on": resource.depends_on,
            "deletion_policy": resource.deletion_policy,
            "update_policy": resolve(resource.update_policy, at),
            "external_id": resolve(resource.external_id, at),
            "condition": resource.condition,
            "description": resource.description,
            "render": resource.as_hot(),
            "required_names": attempt(lambda: sorted(resource.required_names(at))),
            "validate": fault(lambda: resource.validate_functions(at)),
        }
    }


RUNNERS = {
    "template_parse": run_template,
    "template_parse_size": run_size,
    "environment_parse": run_environment,
    "template_version": run_version,
    "template_sections": run_sections,
    "resource_definition": run_resource,
}
