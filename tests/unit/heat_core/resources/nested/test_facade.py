"""Templates that stand for types."""

from typing import ClassVar

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.properties import Attr, Prop
from heat_core.resources import ResourceType
from heat_core.resources.nested import check_facade


class Facade(ResourceType):
    """The type that is replaced."""

    name = "F"
    properties: ClassVar = {"must": Prop.string(required=True), "count": Prop.integer()}
    attributes: ClassVar = {"a": Attr()}


def provider(**changes: object) -> type[ResourceType]:
    members = {
        "name": "F",
        "properties": {"must": Prop.string(), "count": Prop.number()},
        "attributes": {"a": Attr(), "more": Attr()},
        **changes,
    }
    return type("Provider", (ResourceType,), members)


def test_a_provider_that_fits() -> None:
    check_facade("F", provider(), Facade)
    check_facade("F", provider(properties={"must": Prop.string(), "own": Prop.any()}), Facade)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"properties": {}},
            "Required property must for facade F missing in provider",
        ),
        (
            {"properties": {"must": Prop.list()}},
            r"Property must type mismatch between facade F \(String\) and provider \(List\)",
        ),
        (
            {"properties": {"must": Prop.string(), "own": Prop.string(required=True)}},
            "Provider requires property own unknown in facade F",
        ),
        ({"attributes": {}}, "Attribute a for facade F missing in provider"),
    ],
)
def test_providers_that_do_not(changes: dict[str, object], text: str) -> None:
    with pytest.raises(StackValidationFailed, match=text):
        check_facade("F", provider(**changes), Facade)


def test_no_parameter_is_like_a_property_of_any_kind() -> None:
    facade = type("F2", (ResourceType,), {"name": "F", "properties": {"x": Prop.any()}})
    with pytest.raises(KeyError):
        check_facade("F", provider(properties={"x": Prop.string()}), facade)
