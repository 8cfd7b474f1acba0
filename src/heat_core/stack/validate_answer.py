"""What the validate call answers about a template without mistakes, and with one.

Source: rules/a-template-versions.md#14-15, facts/formats.json (validate_template), vectors
validate.jsonl. The caller checks the sections first: their mistakes have another order.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from heat_core.errors import StackValidationFailed
from heat_core.parameters import describe
from heat_core.properties import Answers
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits

if TYPE_CHECKING:
    from heat_core.stack.definition import StackDefinition

STACK_NAME: Final = "dummy"
"""the name of the stack that a template is checked for"""


def describe_definition(
    definition: StackDefinition,
    *,
    show_nested: bool = False,
    limits: StackLimits = DEFAULT_LIMITS,
) -> dict[str, Any]:
    """Description, parameters, groups and environment of a definition that is valid.

    `show_nested` adds the parameters of nested stacks, of those within them too. Raises what is
    wrong with a nested template.
    """
    template = definition.template
    answer: dict[str, Any] = {
        "Description": template.description,
        "Parameters": {one.name: describe(one) for one in definition.parameters.of_template()},
    }
    if template.parameter_groups:
        answer["ParameterGroups"] = template.parameter_groups
    if show_nested:
        from heat_core.resources.nested import nested_parameters

        answer.update(nested_parameters(definition, limits=limits))
    answer["Environment"] = template.environment.user_env_as_dict()
    return answer


def error_answer(error: Exception) -> dict[str, Any]:
    """A mistake as an answer."""
    return {"Error": str(error)}


def validate_and_describe(
    definition: StackDefinition,
    *,
    show_nested: bool = False,
    ignorable_errors: Collection[str] = (),
    answers: Answers | None = None,
    catalog_types: Collection[str] | None = None,
    limits: StackLimits = DEFAULT_LIMITS,
) -> dict[str, Any]:
    """The whole answer; without `answers` no service is asked.

    Raises errors that are not StackValidationFailed: the call itself fails then.
    """
    try:
        definition.validate(
            strict=False,
            ignorable_errors=ignorable_errors,
            answers=answers,
            catalog_types=catalog_types,
            limits=limits,
        )
    except StackValidationFailed as error:
        return error_answer(error)
    return describe_definition(definition, show_nested=show_nested, limits=limits)
