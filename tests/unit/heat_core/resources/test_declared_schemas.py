"""Every registered type declares what Heat's type of that name does, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from heat_core.properties import Attr, CacheMode, Kind, Prop, Properties, Rule, Support
from heat_core.properties.support import SupportStatus
from heat_core.resources import ResourceType, registry, resource_schema
from heat_core.stack.naming import PHYSICAL_NAME_LIMIT

DESCRIBED = ("OS::Heat", "OS::Nova", "OS::Neutron", "OS::Cinder", "OS::Glance")
"""services whose types are described in full; the others follow with their behaviour"""


@cache
def facts(folder: Path) -> dict[str, Any]:
    """All types of a facts folder by name."""
    return {
        name: form
        for path in sorted(folder.glob("*.json"))
        if path.name != "index.json"
        for name, form in json.loads(path.read_text()).items()
    }


def support_form(support: Support) -> dict[str, Any] | None:
    """facts/README: a SUPPORTED status without a version is left out, texts become a mark."""
    return None if support == Support() else full_support_form(support)


def full_support_form(support: Support) -> dict[str, Any]:
    form: dict[str, Any] = {"status": support.status.value}
    if support.version is not None:
        form["version"] = support.version
    if support.message is not None:
        form["has_message"] = True
    if support.previous is not None:
        form["previous"] = full_support_form(support.previous)
    if support.substitute is not None:
        form["substitute_class"] = registry.find(support.substitute).__name__
    return form


def without_type_names(form: Any) -> Any:
    """Whether our own texts name the same types is for a reader to judge."""
    if isinstance(form, dict):
        return {
            key: without_type_names(value)
            for key, value in form.items()
            if key != "message_names_types"
        }
    return [without_type_names(item) for item in form] if isinstance(form, list) else form


def attribute_form(attr: Attr) -> dict[str, Any]:
    form: dict[str, Any] = {"type": None if attr.kind is None else attr.kind.value}
    if attr.cache is CacheMode.NONE:
        form["cache_mode"] = "cache_none"
    if (support := support_form(attr.support)) is not None:
        form["support"] = support
    return form


def property_form(prop: Prop) -> dict[str, Any]:
    form: dict[str, Any] = {"type": prop.kind.value}
    if prop.default is not None:
        form["default"] = prop.default
    for flag in ("required", "update_allowed", "immutable"):
        if getattr(prop, flag):
            form[flag] = True
    if not prop.implemented:
        form["implemented"] = False
    if prop.constraints.items:
        form["constraints"] = [item.as_dict() for item in prop.constraints.items]
    children = prop.items()
    if children is not None:
        form["schema"] = {name: property_form(child) for name, child in children.items()}
    if (support := support_form(prop.support)) is not None:
        form["support"] = support
    return form


def without_texts(form: Any) -> Any:
    """Descriptions are our own words; a property of that name is none."""
    if isinstance(form, dict):
        return {
            key: without_texts(value)
            for key, value in form.items()
            if not (key == "description" and isinstance(value, str))
        }
    return [without_texts(item) for item in form] if isinstance(form, list) else form


def rule_form(rule: Rule) -> dict[str, Any]:
    form: dict[str, Any] = {"rule": rule.kind.shown, "path": list(rule.path)}
    if rule.value is not None:
        form["value"] = "from-property" if rule.value == ["x"] else rule.value
    if rule.value_name is not None:
        form["value_name"] = rule.value_name
    if rule.custom_value_path:
        form["custom_value_path"] = list(rule.custom_value_path)
    if rule.value_path is not None:
        form["value_path"] = list(rule.value_path)
    if rule.finder is not None:
        form |= {"client_plugin": rule.finder.client, "finder": rule.finder.finder}
        if rule.finder.entity is not None:
            form["entity"] = rule.finder.entity
    return form


def all_rules(resource_class: type[ResourceType]) -> list[dict[str, Any]]:
    """The rules that empty and filled properties ask for, each once, as the facts list them."""
    rules: list[dict[str, Any]] = []
    for data in ({}, filled(resource_class)):
        asked = resource_class.translation_rules(Properties(resource_class.properties, data))
        rules += [form for form in map(rule_form, asked) if form not in rules]
    return rules


def filled(resource_class: type[ResourceType]) -> dict[str, Any]:
    """Data with a text in every property that takes one, as the facts were collected."""
    return {
        name: "x" for name, prop in resource_class.properties.items() if prop.kind is Kind.STRING
    }


@pytest.mark.parametrize("name", registry.names())
def test_type_equals_facts(name: str, shared: Path) -> None:
    fact = facts(shared / "facts" / "resource-types")[name]
    resource_class = registry.find(name)

    assert resource_class.name == name
    assert resource_class.__name__ == fact["class"]
    assert {
        key: without_texts(property_form(prop)) for key, prop in resource_class.properties.items()
    } == without_type_names(without_texts(fact["properties"]))
    assert {key: attribute_form(attr) for key, attr in resource_class.attributes.items()} == fact[
        "attributes"
    ]
    assert full_support_form(resource_class.support) == without_type_names(fact["support"])
    assert all_rules(resource_class) == fact.get("translation_rules", [])
    assert {
        key: property_form(prop) for key, prop in resource_class.update_policy.items()
    } == fact.get("update_policy", {})


@pytest.mark.parametrize("name", registry.names())
def test_type_flags_equal_facts(name: str, shared: Path) -> None:
    fact = facts(shared / "facts" / "resource-types")[name]
    resource_class = registry.find(name)

    assert resource_class.client_name == fact.get("default_client_name")
    assert resource_class.entity == fact.get("entity")
    assert resource_class.needs_stored_credentials is fact.get("requires_deferred_auth", False)
    assert resource_class.always_replace_on_check_failed is fact.get(
        "always_replace_on_check_failed", True
    )
    assert resource_class.physical_name_limit == fact.get(
        "physical_resource_name_limit", PHYSICAL_NAME_LIMIT
    )
    for action in ("check", "suspend", "resume", "snapshot"):
        assert resource_class.supports(action) is (action in fact["handles"]), action


@pytest.mark.parametrize("name", registry.names())
def test_shown_schema_equals_facts(name: str, shared: Path) -> None:
    known = facts(shared / "facts" / "resource-type-show")
    if registry.find(name).support.status is SupportStatus.HIDDEN:
        assert name not in known
        return
    shown = resource_schema(name)

    message = shown["support_status"]["message"]
    shown["support_status"]["message"] = None if message is None else "<text>"
    assert without_texts(shown) == known[name]


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
