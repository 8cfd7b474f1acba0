"""Outputs."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.stack import OutputDefinition, StackDefinition
from heat_core.template import Template


def _outputs(**outputs: Any) -> dict[str, OutputDefinition]:
    document = {
        "heat_template_version": "2021-04-16",
        "resources": {"a": {"type": "OS::Heat::None"}},
        "outputs": outputs,
    }
    definition = StackDefinition.build(Template(document))
    return dict(definition.outputs)


def test_descriptions_are_text() -> None:
    outputs = _outputs(
        a={"value": 1}, b={"value": 1, "description": 7}, c={"value": 1, "description": ""}
    )
    assert [one.description for one in outputs.values()] == ["No description given", "7", ""]
    assert outputs["b"].as_hot() == {"value": 1, "description": 7}
    assert outputs["a"].as_hot() == {"value": 1}


def test_a_disabled_output_is_null_and_is_not_parsed() -> None:
    outputs = _outputs(a={"value": {"list_join": 5}, "condition": False})
    assert outputs["a"].value is None


def test_references() -> None:
    document = {
        "heat_template_version": "2021-04-16",
        "resources": {"a": {"type": "OS::Heat::None"}},
        "outputs": {
            "o": {"value": {"get_attr": ["a", "x"]}},
            "p": {"value": [{"get_resource": "a"}, {"get_resource": "ghost"}]},
            "q": {"value": {"make_url": 5}},
        },
    }
    definition = StackDefinition.build(Template(document))
    at = definition.resolution({})
    assert definition.outputs["o"].required_names(at) == {"a"}
    assert list(definition.outputs["o"].attribute_references(at)) == [("a", "x")]
    assert definition.outputs["p"].required_names(at) == frozenset()
    with pytest.raises(StackValidationFailed, match=r"^Value\.make_url: "):
        definition.outputs["q"].validate(at)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (5, "outputs.o: Output definitions must be a map. Found a int instead"),
        ({"description": "d"}, "outputs.o: Each output definition must contain a value key."),
        ({"value": 1, "condition": "ghost"}, 'outputs.o.condition: Invalid condition "ghost"'),
        ({"value": {"list_join": 5}}, "outputs.o.value.list_join: Incorrect arguments"),
    ],
)
def test_bad_outputs(output: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        _outputs(o=output)
    assert text in str(caught.value)
