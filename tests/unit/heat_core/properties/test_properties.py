from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.properties import OMITTED, AllowedValues, Kind, Length, Prop, Properties
from heat_core.properties.properties import changed_names

NESTED = {
    "list": Prop.list(
        schema=Prop.map(
            schema={"name": Prop.string(required=True), "size": Prop.integer(default=3)}
        )
    )
}


def fault(properties: Properties, **how: bool) -> str | None:
    try:
        properties.validate(**how)
    except StackValidationFailed as error:
        return str(error)
    return None


def test_values_come_in_schema_order_with_defaults() -> None:
    schema = {"b": Prop.string(), "a": Prop.integer(default=7), "c": Prop.list()}
    properties = Properties(schema, {"c": ["x"]})

    assert list(properties.items()) == [("b", None), ("a", 7), ("c", ["x"])]
    assert len(properties) == 3
    assert "a" in properties
    assert properties.user_value("a") is None


def test_nested_values_are_completed() -> None:
    properties = Properties(NESTED, {"list": [{"name": "n"}, {"name": "m", "size": "5"}]})

    assert properties["list"] == [{"name": "n", "size": 3}, {"name": "m", "size": 5}]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            {"list": [{"size": 1}]},
            "Property error: Properties.list[0]: Property name not assigned",
        ),
        (
            {"list": [{"name": "n"}, {"name": "m", "huh": 1}]},
            "Property error: Properties.list[1]: Unknown Property huh",
        ),
        (
            {"list": [{"name": "n", "size": "x"}]},
            "Property error: Properties.list[0].size: Value 'x' is not an integer",
        ),
        ({"list": 5}, 'Property error: Properties.list: "5" is not a list'),
        ({"nope": 5}, "Property error: Properties: Unknown Property nope"),
    ],
)
def test_errors_say_where(data: dict[str, Any], text: str) -> None:
    assert fault(Properties(NESTED, data, section="Properties")) == text


def test_without_values_only_names_are_checked() -> None:
    assert fault(Properties(NESTED, {"list": 5}), with_values=False) is None
    assert fault(Properties(NESTED, {"x": 5}), with_values=False) == (
        "Property error: Unknown Property x"
    )


def test_deeply_nested_values_are_read_once_a_level() -> None:
    reads = 0

    class Counted(dict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            nonlocal reads
            reads += 1
            return super().__getitem__(key)

    prop, value = Prop.string(), "x"
    data: Any = value
    for _ in range(12):
        prop = Prop.map(schema={"k": prop})
        data = Counted(k=data)
    Properties({"top": prop}, {"top": data}).validate()

    assert reads <= 12


def test_a_resolver_gives_values_and_omits_some() -> None:
    schema = {"a": Prop.string(default="d"), "b": Prop.string(), "c": Prop.string(required=True)}
    answers = {"A": OMITTED, "B": None, "C": "x"}
    properties = Properties(
        schema, {"a": "A", "b": "B", "c": "C"}, resolve=lambda tree: answers[tree]
    )

    assert dict(properties) == {"a": "d", "b": "", "c": "x"}


def test_whatever_a_resolver_raises_is_the_value_s_fault() -> None:
    def fail(tree: Any) -> Any:
        raise KeyError("boom")

    properties = Properties({"a": Prop.string()}, {"a": 1}, resolve=fail)

    with pytest.raises(ValueError, match=r"^'boom'$"):
        properties["a"]
    assert fault(properties) == "Property error: a: 'boom'"


def test_values_that_wait_for_other_resources_are_not_held_to_constraints() -> None:
    schema = {"a": Prop.string(constraints=[AllowedValues(["x"])])}

    assert fault(Properties(schema, {"a": "later"}, pending=lambda tree: tree == "later")) is None
    assert fault(Properties(schema, {"a": "later"})) is not None


def test_the_resource_s_description_fills_in() -> None:
    updatable = {"description": Prop.string(update_allowed=True)}

    assert Properties(updatable, {}, description="of r")["description"] == "of r"
    assert Properties(updatable, {}, description="")["description"] is None
    assert Properties({"description": Prop.string()}, {}, description="of r")["description"] is None
    assert Properties(updatable, {"description": "x"}, description="of r")["description"] == "x"


def test_unimplemented_properties_may_not_be_given() -> None:
    schema = {"a": Prop.string(implemented=False)}

    assert fault(Properties(schema, {})) is None
    assert fault(Properties(schema, {"a": "x"})) == "Property error: Property a not implemented yet"


def test_unknown_names_cannot_be_read() -> None:
    properties = Properties({}, {})

    for read in (properties.__getitem__, properties.user_value):
        with pytest.raises(KeyError, match="Invalid Property x"):
            read("x")


def test_another_schema_for_the_same_data() -> None:
    properties = Properties({"a": Prop.any(), "b": Prop.string()}, {"a": "5"})
    other = properties.with_schema({"a": Prop.of(Kind.NUMBER)})

    assert (properties["a"], other["a"], other["b"]) == ("5", 5, None)


def test_conversion_of_what_nested_templates_take() -> None:
    schema = {
        "map": Prop.map(allow_conversion=True),
        "list": Prop.list(allow_conversion=True),
    }

    assert dict(Properties(schema, {"map": [1, "a"], "list": "a, b"})) == {
        "map": '[1, "a"]',
        "list": ["a", " b"],
    }
    assert Properties(schema, {"map": "text", "list": ""})["map"] == "text"
    assert Properties(schema, {"list": ""})["list"] == []


def test_constraints_of_maps() -> None:
    schema = {"m": Prop.map(constraints=[Length(max=1)])}

    assert fault(Properties(schema, {"m": {"a": 1, "b": 2}})) == (
        "Property error: m: length (2) is out of range (min: None, max: 1)"
    )


def test_changed_names() -> None:
    schema = {"a": Prop.integer(default=1), "b": Prop.integer(), "c": Prop.integer()}
    before = Properties(schema, {"a": 1, "b": 2, "c": "unreadable"})
    after = Properties(schema, {"b": 3, "c": 0})

    assert changed_names(before, after) == {"b", "c"}
    with pytest.raises(ValueError, match="unreadable"):
        changed_names(after, before)
