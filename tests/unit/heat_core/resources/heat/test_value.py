from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.procedure import StoreCreated
from heat_core.resources import Change, prepare_create, registry

TYPE = registry.find("OS::Heat::Value")


def test_create_stores_the_physical_name(script: Any, view: Any) -> None:
    script.run(TYPE(view()).start_create(script.io, {"value": 1, "type": None}))

    assert script.asked == [StoreCreated("st-r-abc")]


@pytest.mark.parametrize("value", [1, "x", [1, {"a": None}], {"k": []}, None, True])
def test_the_attribute_is_the_value_as_given(script: Any, view: Any, value: Any) -> None:
    resource = TYPE(view(properties={"value": value}))

    assert script.run(resource.attribute(script.io, "value")) == value


def test_a_declared_type_checks_but_does_not_convert(script: Any, view: Any) -> None:
    data = {"value": "42", "type": "number"}
    props = script.run(prepare_create(script.io, TYPE, data))
    resource = TYPE(view(properties=data))

    assert props["value"] == 42
    assert script.run(resource.attribute(script.io, "value")) == "42"


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("number", "x", "could not convert string to float: 'x'"),
        ("boolean", "maybe", '"maybe" is not a valid boolean'),
        ("json", [1], '"[1]" is not a map'),
        ("comma_delimited_list", "a,b", "\"'a,b'\" is not a list"),
        ("string", [1], "Value must be a string; got [1]"),
    ],
)
def test_a_value_of_another_type_is_refused(script: Any, kind: str, value: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        script.run(prepare_create(script.io, TYPE, {"value": value, "type": kind}))
    assert str(caught.value) == f"Property error: Properties.value: {text}"


def test_an_unknown_type_is_the_type_s_own_mistake(script: Any) -> None:
    with pytest.raises(StackValidationFailed, match=r'Properties.type: "text" is not an allowed'):
        script.run(prepare_create(script.io, TYPE, {"value": 1, "type": "text"}))


def test_an_update_does_nothing(script: Any, view: Any) -> None:
    change = Change(changed=frozenset({"value"}), before={"value": 1}, after={"value": 2})
    script.run(TYPE(view()).start_update(script.io, change))

    assert script.asked == []
