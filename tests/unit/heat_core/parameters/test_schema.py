"""Parameter schemas in both spellings."""

from typing import Any

import pytest

from heat_core.errors import InvalidSchemaError
from heat_core.parameters import ParameterSchema, read_schemata
from heat_core.properties import AllowedPattern, Kind, Length, Modulo, Range
from heat_core.template import TemplateVersion, version_of

HOT = version_of({"heat_template_version": "2018-08-31"})
OLD_HOT = version_of({"heat_template_version": "2016-10-14"})
CFN = version_of({"AWSTemplateFormatVersion": "2010-09-09"})


def _read(written: Any, version: TemplateVersion = HOT) -> ParameterSchema:
    return read_schemata(version, {"p": written})["p"]


def test_hot() -> None:
    schema = _read(
        {
            "type": "number",
            "default": 4,
            "description": "d",
            "label": "l",
            "hidden": True,
            "immutable": True,
            "tags": ["t"],
            "constraints": [
                {"range": {"min": "1", "max": 9}, "description": "why"},
                {"modulo": {"step": 2, "offset": 0}},
            ],
        }
    )
    assert schema.kind is Kind.NUMBER
    assert schema.type_name == "number"
    assert (schema.default, schema.label, schema.hidden, schema.immutable) == (4, "l", True, True)
    assert schema.tags == ["t"]
    assert schema.constraints.items == (Range(1, 9, "why"), Modulo(2, 0))
    schema.validate()
    assert schema.with_default(5).default == 5


def test_cfn() -> None:
    schema = _read(
        {
            "Type": "String",
            "NoEcho": "True",
            "MinLength": "1",
            "AllowedPattern": "a+",
            "ConstraintDescription": "why",
        },
        CFN,
    )
    assert schema.kind is Kind.STRING
    assert schema.hidden is True
    assert schema.immutable is False
    assert schema.constraints.items == (Length(1, None, "why"), AllowedPattern("a+", "why"))
    numbers = _read({"Type": "Number", "MinValue": 1, "AllowedValues": [1, 2]}, CFN)
    assert len(numbers.constraints.items) == 2


@pytest.mark.parametrize(
    ("written", "version", "text"),
    [
        ("x", HOT, "Invalid parameter (p), expected a mapping"),
        ({"type": "string", "zzz": 1}, HOT, "Invalid key 'zzz' for parameter (p)"),
        ({"default": 1}, HOT, "Missing parameter type for parameter: p"),
        ({"type": "text"}, HOT, "Invalid type (text)"),
        ({"type": ["string"]}, HOT, "Invalid type (['string'])"),
        ({"type": "string", "tags": "x"}, HOT, "Tags property should be a list for parameter: p"),
        ({"type": "string", "tags": []}, OLD_HOT, "Invalid key 'tags' for parameter (p)"),
        ({"type": "string", "constraints": {}}, HOT, "Invalid parameter constraints for parameter"),
        ({"type": "string", "constraints": ["x"]}, HOT, "Invalid parameter constraints, expected"),
        (
            {"type": "string", "constraints": [{"zzz": 1}]},
            HOT,
            "Invalid key 'zzz' for parameter constraints",
        ),
        ({"type": "string", "constraints": [{"description": "d"}]}, HOT, "No constraint expressed"),
        (
            {"type": "number", "constraints": [{"modulo": {"step": 1, "offset": 0}}]},
            OLD_HOT,
            "No constraint expressed",
        ),
        (
            {"type": "number", "constraints": [{"range": {"minimum": 1}}]},
            HOT,
            "Invalid key 'minimum' for range constraint",
        ),
        ({"Default": 1}, CFN, "Missing parameter type for parameter: p"),
        ({"type": "string"}, CFN, "Invalid key 'type' for parameter (p)"),
    ],
)
def test_bad_schemas(written: Any, version: TemplateVersion, text: str) -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        _read(written, version)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            {"type": "string", "constraints": [{"range": {"min": 1}}]},
            "Range constraint invalid for string",
        ),
        (
            {"type": "string", "default": "abc", "constraints": [{"length": {"max": 2}}]},
            "Invalid default abc (length (3) is out of range (min: None, max: 2))",
        ),
        (
            {"type": "comma_delimited_list", "default": 5},
            "Default must be a comma-delimited list string: 'int' object has no attribute 'split'",
        ),
    ],
)
def test_schemas_that_do_not_hold(written: Any, text: str) -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        _read(written).validate()
    assert str(caught.value) == text


def test_list_defaults_are_split_and_made_text() -> None:
    allowed = [{"allowed_values": ["1", "2"]}]
    for default in ("1,2", [1, 2]):
        written = {"type": "comma_delimited_list", "default": default, "constraints": allowed}
        _read(written).validate()


def test_a_default_may_break_a_custom_constraint() -> None:
    written = {
        "type": "string",
        "default": "x",
        "constraints": [{"custom_constraint": "ip_addr"}],
    }
    _read(written).validate()
