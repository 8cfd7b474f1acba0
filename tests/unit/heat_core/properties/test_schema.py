from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import HeatException, InvalidSchemaError, StackValidationFailed
from heat_core.properties import AllowedValues, Custom, Kind, Length, Prop, Range


def test_the_form_that_users_see() -> None:
    prop = Prop.list(
        "Servers.",
        required=True,
        update_allowed=True,
        constraints=[Length(min=1)],
        schema=Prop.map(schema={"name": Prop.string(default="x")}),
    )

    assert prop.as_dict() == {
        "type": "list",
        "description": "Servers.",
        "required": True,
        "update_allowed": True,
        "immutable": False,
        "constraints": [{"length": {"min": 1}}],
        "schema": {
            "*": {
                "type": "map",
                "required": False,
                "update_allowed": False,
                "immutable": False,
                "schema": {
                    "name": {
                        "type": "string",
                        "default": "x",
                        "required": False,
                        "update_allowed": False,
                        "immutable": False,
                    }
                },
            }
        },
    }


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (Prop.string, Kind.STRING),
        (Prop.integer, Kind.INTEGER),
        (Prop.number, Kind.NUMBER),
        (Prop.boolean, Kind.BOOLEAN),
        (Prop.map, Kind.MAP),
        (Prop.list, Kind.LIST),
        (Prop.any, Kind.ANY),
    ],
)
def test_makers(make: Any, kind: Kind) -> None:
    assert make("d", required=True) == Prop(kind=kind, description="d", required=True)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: Prop.map(schema=Prop.string()),
            InvalidSchemaError,
            "Single schema valid only for List, not Map",
        ),
        (
            lambda: Prop.string(schema={}),
            InvalidSchemaError,
            "Schema valid only for List or Map, not String",
        ),
        (
            lambda: Prop.integer(constraints=[Length(min=1)]),
            InvalidSchemaError,
            "Length constraint invalid for Integer",
        ),
        (
            lambda: Prop.map(constraints=[Custom("ip_addr")]),
            InvalidSchemaError,
            "CustomConstraint constraint invalid for Map",
        ),
        (
            lambda: Prop.integer(default=1, constraints=[Range(min=5)]),
            StackValidationFailed,
            "1 is out of range (min: 5, max: None)",
        ),
        (
            lambda: Prop.string(update_allowed=True, immutable=True),
            InvalidSchemaError,
            "Options UpdateAllowed and Immutable cannot both be True",
        ),
    ],
)
def test_schemas_that_contradict_themselves(
    make: Any, error: type[HeatException], text: str
) -> None:
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == text


def test_a_default_is_not_held_to_custom_constraints() -> None:
    assert Prop.string(default="x", constraints=[Custom("ip_addr")]).has_default


def test_constraints_raise_without_a_path() -> None:
    with pytest.raises(StackValidationFailed) as caught:
        Prop.string(constraints=[AllowedValues(["a"])]).check_constraints("b")
    assert caught.value.path == []
