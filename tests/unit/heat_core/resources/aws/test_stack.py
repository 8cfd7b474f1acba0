"""AWS::CloudFormation::Stack."""

from typing import Any

import pytest

from heat_core.errors import InvalidTemplateAttribute
from heat_core.resources.nested import child_definition
from heat_core.template import Downloads
from tests.nested_stage import INNER, FakeNested, definition_of, stage, validation_text

URL = "http://example.org/t"


def nested_stack(properties: Any = None, /, downloads: Downloads | None = None) -> Any:
    definition = definition_of(
        {
            "n": {
                "type": "AWS::CloudFormation::Stack",
                "properties": {"TemplateURL": URL, **(properties or {})},
            }
        },
        downloads=downloads,
    )
    return stage(definition, "n", exists=True)


def test_a_template_that_has_been_fetched() -> None:
    made, at = nested_stack(
        {"Parameters": {"need": "x"}, "TimeoutInMinutes": "5"}, Downloads({URL: INNER})
    )
    child = child_definition(made, at, made.child_template(at))
    assert child.parameters["need"] == "x"
    assert made.timeout_minutes(at) == 5
    assert validation_text(at.definition) == ""


def test_what_was_fetched_for_the_check_is_used_by_the_create() -> None:
    made, at = nested_stack({"Parameters": {"need": "x"}}, Downloads({URL: INNER}))
    kept = definition_of({"n": at.resource.as_hot()}, files=dict(at.definition.template.all_files))
    made, at = stage(kept, "n", exists=True)
    assert made.child_template(at)["description"] == "inner"


def test_without_parameters() -> None:
    made, at = nested_stack(None, Downloads({URL: INNER}))
    assert made.child_parameters(at) is None
    assert made.child_environment(at).parameters == {}


def test_what_is_missing_is_noted() -> None:
    downloads = Downloads()
    _, at = nested_stack(None, downloads)
    assert validation_text(at.definition) == (
        "StackValidationFailed: ValueError: resources.n<nested_stack>: Could not fetch remote "
        f"template '{URL}': Failed to retrieve template from {URL}"
    )
    assert downloads.missing == {URL: ("http", "https")}


async def test_attributes_are_outputs_by_a_longer_name() -> None:
    made, at = nested_stack()
    nested = FakeNested({"o": {"k": 1}})
    assert await made.read_attribute(nested, at, "Outputs.o", "k") == 1
    assert await made.read_attribute(None, at, "Outputs.o") is None
    for key in ("o", "Outputs.gone"):
        with pytest.raises(InvalidTemplateAttribute):
            await made.read_attribute(nested, at, key)
