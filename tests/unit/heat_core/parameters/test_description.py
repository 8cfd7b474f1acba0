"""Parameters in the answer of the validate call."""

from heat_core.parameters import Parameter, describe, read_schemata
from heat_core.template import version_of

HOT = version_of({"heat_template_version": "2018-08-31"})


def test_everything_that_may_be_said() -> None:
    written = {
        "type": "string",
        "label": "L",
        "description": "D",
        "default": "abc",
        "hidden": True,
        "tags": ["t"],
        "constraints": [
            {"length": {"min": 1, "max": 9}, "description": "one"},
            {"allowed_values": ["abc"], "description": "two"},
            {"allowed_pattern": "a.*"},
            {"custom_constraint": "x"},
        ],
    }
    parameter = Parameter("p", read_schemata(HOT, {"p": written})["p"], "abc")
    assert describe(parameter) == {
        "Type": "String",
        "Label": "L",
        "Description": "D",
        "NoEcho": "true",
        "Default": "abc",
        "Value": "abc",
        "Tags": ["t"],
        "MinLength": 1,
        "MaxLength": 9,
        "AllowedValues": ["abc"],
        "AllowedPattern": "a.*",
        "CustomConstraint": "x",
        "ConstraintDescription": "one two",
    }


def test_numbers() -> None:
    written = {
        "type": "number",
        "constraints": [{"range": {"max": 4}}, {"modulo": {"step": 2, "offset": 1}}],
    }
    assert describe(Parameter("p", read_schemata(HOT, {"p": written})["p"])) == {
        "Type": "Number",
        "Label": "p",
        "Description": "",
        "NoEcho": "false",
        "MaxValue": 4,
        "Step": 2,
        "Offset": 1,
    }
