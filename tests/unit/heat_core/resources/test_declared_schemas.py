"""Every registered type declares what Heat's type of that name does, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from heat_core.properties import Prop
from heat_core.resources import registry, resource_schema
from tests.conformance.resource_types import declared_form, facts, recorded_form, shown_form

DESCRIBED = ("OS::Heat", "OS::Nova", "OS::Neutron", "OS::Cinder", "OS::Glance")
"""services whose types are described in full; the others follow with their behaviour"""


@pytest.mark.parametrize("name", registry.names())
def test_type_equals_facts(name: str, shared: Path) -> None:
    resource_class = registry.find(name)

    assert resource_class.name == name
    assert declared_form(resource_class) == recorded_form(
        facts(shared / "facts" / "resource-types")[name]
    )


@pytest.mark.parametrize("name", registry.names())
def test_shown_schema_equals_facts(name: str, shared: Path) -> None:
    known = facts(shared / "facts" / "resource-type-show")
    if registry.find(name).support.hidden:
        assert name not in known
    else:
        assert shown_form(name) == known[name]


@pytest.mark.parametrize("name", [name for name in registry.names() if name.startswith(DESCRIBED)])
def test_every_property_and_attribute_says_what_it_is_for(name: str) -> None:
    resource_class = registry.find(name)
    if not resource_class.support.hidden:
        assert resource_class.__doc__
        assert not list(undescribed(resource_class.properties))
        assert all(attr.description for attr in resource_class.attributes.values())


def undescribed(schema: Mapping[Any, Prop], path: str = "") -> Iterator[str]:
    for key, prop in schema.items():
        if prop.description is None and key != "*":
            yield f"{path}{key}"
        yield from undescribed(prop.items() or {}, f"{path}{key}.")


def test_schema_with_description_adds_the_type_s_own_text() -> None:
    shown = resource_schema("OS::Heat::Value", with_description=True)

    assert shown["description"].startswith("A name for the value of an expression.")
    assert "description" not in resource_schema("OS::Heat::Value")
