from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from heat_core.errors import EntityNotFound, InvalidTemplateAttribute
from heat_core.procedure import ProcedureIO, ServiceError
from heat_core.properties import Attr, CacheMode
from heat_core.resources import (
    ResourceType,
    attribute_schemas,
    has_attribute,
    may_cache,
    read_attribute,
    read_attribute_key,
    read_shown_attributes,
    registry,
)


class Thing(ResourceType):
    """A type whose attributes are in its data, and whose object is in `shown`."""

    attributes: ClassVar = {"a": Attr(), "b": Attr(cache=CacheMode.NONE)}
    shown: ClassVar[Any] = None

    async def attribute(self, io: ProcedureIO, name: str) -> Any:
        value = self.view.properties[name]
        if isinstance(value, Exception):
            raise value
        return value

    async def show(self, io: ProcedureIO) -> Mapping[str, Any] | None:
        if isinstance(self.shown, Exception):
            raise self.shown
        return self.shown


def thing(view: Any, shown: Any = None, **values: Any) -> Thing:
    resource = Thing(view(physical_id="p", properties={"a": 1, "b": 2, **values}))
    resource.shown = shown  # type: ignore[misc]  # each test's own object
    return resource


def test_what_there_is() -> None:
    assert list(attribute_schemas(Thing)) == ["a", "b", "show"]
    assert has_attribute(Thing, "show")
    assert not has_attribute(Thing, "c")
    assert has_attribute(registry.find("OS::Heat::None"), "c")
    assert [may_cache(Thing, name) for name in ("a", "b", "show")] == [True, False, False]


def test_a_value_and_a_path_in_it(script: Any, view: Any) -> None:
    resource = thing(view, a={"k": [1, 2]})

    assert script.run(read_attribute(script.io, resource, "a")) == {"k": [1, 2]}
    assert script.run(read_attribute_key(script.io, resource, ("a", "k", 1))) == 2
    assert script.run(read_attribute_key(script.io, resource, ("a", "x", 1))) is None
    assert script.run(read_attribute_key(script.io, resource, "b")) == 2


def test_unknown_attribute(script: Any, view: Any) -> None:
    with pytest.raises(InvalidTemplateAttribute) as caught:
        script.run(read_attribute(script.io, thing(view), "c"))
    assert str(caught.value) == "The Referenced Attribute (r c) is incorrect."


def test_what_the_service_does_not_know_is_null(
    script: Any, view: Any, refuse: Callable[..., ServiceError]
) -> None:
    for error in (refuse(404, "NotFound"), EntityNotFound(entity="Thing", name="p")):
        assert script.run(read_attribute(script.io, thing(view, a=error), "a")) is None
        assert script.run(read_attribute(script.io, thing(view, shown=error), "show")) is None


def test_other_refusals_pass_through(
    script: Any, view: Any, refuse: Callable[..., ServiceError]
) -> None:
    with pytest.raises(ServiceError):
        script.run(read_attribute(script.io, thing(view, a=refuse(500, "ServerError")), "a"))


def test_shown_attributes_are_the_object_as_its_service_tells(script: Any, view: Any) -> None:
    resource = thing(view, shown={"id": "p", "a": "live"})

    assert script.run(read_shown_attributes(script.io, resource)) == {"id": "p", "a": "live"}
    assert script.run(read_shown_attributes(script.io, resource, ["a", "b", "c"])) == {
        "id": "p",
        "a": "live",
        "b": 2,
        "c": None,
    }


def test_without_an_object_every_attribute_is_read(script: Any, view: Any) -> None:
    resource = thing(view, b=ValueError("unreadable"))

    assert script.run(read_shown_attributes(script.io, resource, ["c"])) == {
        "a": 1,
        "b": None,
        "c": None,
    }
