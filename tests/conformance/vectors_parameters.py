"""Runs the kinds of parameters.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from heat_core.environment import Environment
from heat_core.errors import ImmutableParameterModified
from heat_core.parameters import Parameters, describe, validate_groups
from heat_core.properties import Checks, check_locally
from heat_core.stack.identity import HeatIdentifier
from heat_core.template import Template
from tests.conformance.vectors_codec import attempt, error_form, fault
from tests.conformance.vectors_surroundings import IDENTITY, template_of

# The recording was made later than any date in the vectors that counts as past.
_CHECKS = Checks(custom=partial(check_locally, now=datetime(2026, 6, 1, tzinfo=UTC)))


def run_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    identity = IDENTITY if given.get("stack_identity", True) else None

    def fresh() -> Parameters:
        return template_of(given).make_parameters(identity)

    try:
        parameters = fresh()
    except Exception as error:  # compared with the vector's
        return {"error": error_form(error, phase="schema")}
    own = [parameter.name for parameter in parameters.of_template()]
    return {
        "value": {
            "validate_strict": fault(lambda: fresh().validate(checks=_CHECKS)),
            "validate_lax": fault(lambda: fresh().validate(check_values=False)),
            "values": {str(name): attempt(lambda name=name: fresh()[name]) for name in own},
            "shown": {
                str(name): attempt(lambda name=name: fresh().get_parameter(name).shown())
                for name in own
            },
            "validate_api": {
                str(name): attempt(lambda name=name: describe(fresh().get_parameter(name)))
                for name in own
            },
        }
    }


def run_groups(given: Mapping[str, Any]) -> dict[str, Any]:
    def check() -> None:
        template = template_of(given)
        validate_groups(template.parameter_groups, template.make_parameters(None))

    return attempt(check)


def run_pseudo(given: Mapping[str, Any]) -> dict[str, Any]:
    identity = given["stack_identity"]
    parameters = template_of(given).make_parameters(
        None if identity is None else HeatIdentifier.from_dict(identity)
    )
    return attempt(lambda: dict(parameters))


def run_pseudo_set(given: Mapping[str, Any]) -> dict[str, Any]:
    return attempt(lambda: template_of(given).make_parameters(IDENTITY).validate())


def run_pseudo_default(given: Mapping[str, Any]) -> dict[str, Any]:
    def fresh() -> Parameters:
        return template_of(given).make_parameters(IDENTITY)

    return {
        "value": {
            "validate_strict": fault(lambda: fresh().validate()),
            "values": attempt(lambda: dict(fresh())),
        }
    }


def run_immutable(given: Mapping[str, Any]) -> dict[str, Any]:
    def parameters(which: str) -> Parameters:
        return Template(
            given[f"{which}_template"],
            environment=Environment({"parameters": given[f"{which}_parameters"]}),
        ).make_parameters(IDENTITY)

    def check() -> None:
        changed = parameters("old").immutable_changed(parameters("new"), given["new_parameters"])
        if changed:
            raise ImmutableParameterModified(*changed)

    return attempt(check)


RUNNERS = {
    "parameters": run_parameters,
    "parameter_groups": run_groups,
    "pseudo_parameters": run_pseudo,
    "pseudo_parameters_set": run_pseudo_set,
    "pseudo_parameters_default": run_pseudo_default,
    "parameters_immutable": run_immutable,
}
