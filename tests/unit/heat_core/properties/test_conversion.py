from __future__ import annotations

import pytest

from heat_core.properties import (
    AllowedPattern,
    AllowedValues,
    Custom,
    Dialect,
    Kind,
    Length,
    Prop,
    Range,
    from_parameter,
    to_parameters,
)

SCHEMA = {
    "s": Prop.string("A text.", default="a", constraints=[Length(1, 9), AllowedPattern("[a-z]+")]),
    "i": Prop.integer(constraints=[Range(max=3), Custom("ip_addr")]),
    "b": Prop.boolean(constraints=[AllowedValues([True])]),
    "l": Prop.list(),
    "hidden": Prop.string(implemented=False),
}


def test_hot() -> None:
    parameters, values = to_parameters(SCHEMA, Dialect.HOT)

    assert parameters == {
        "s": {
            "type": "string",
            "description": "A text.",
            "default": "a",
            "constraints": [{"length": {"min": 1, "max": 9}}, {"allowed_pattern": "[a-z]+"}],
        },
        "i": {"type": "number", "constraints": [{"range": {"max": 3}}, {}]},
        "b": {"type": "boolean", "constraints": [{"allowed_values": [True]}]},
        "l": {"type": "comma_delimited_list"},
    }
    assert values == {name: {"get_param": name} for name in parameters}


def test_cfn() -> None:
    parameters, values = to_parameters(SCHEMA, Dialect.CFN)

    assert parameters == {
        "s": {
            "Type": "String",
            "Description": "A text.",
            "Default": "a",
            "MinLength": 1,
            "MaxLength": 9,
            "AllowedPattern": "[a-z]+",
        },
        "i": {"Type": "Number", "MaxValue": 3},
        "b": {"Type": "Boolean", "AllowedValues": ["True", "true", "False", "false"]},
        "l": {"Type": "CommaDelimitedList"},
    }
    assert values["l"] == {"Fn::Split": [",", {"Ref": "l"}]}
    assert values["s"] == {"Ref": "s"}


def test_what_no_parameter_can_be() -> None:
    with pytest.raises(KeyError, match="Any"):
        to_parameters({"a": Prop.any()}, Dialect.HOT)
    with pytest.raises(ValueError, match="unpack"):
        to_parameters({"a": Prop.string(implemented=False)}, Dialect.HOT)
    assert to_parameters({}, Dialect.HOT) == ({}, {})


@pytest.mark.parametrize(
    ("kind", "converts"), [(Kind.MAP, True), (Kind.LIST, True), (Kind.STRING, False)]
)
def test_from_parameter(kind: Kind, converts: bool) -> None:
    prop = from_parameter(kind, description="d", required=True)

    assert prop.update_allowed
    assert prop.required
    assert prop.allow_conversion is converts
