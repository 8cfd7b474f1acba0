"""Every registered type declares what Heat's type of that name does, field by field."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from heat_core.properties import Attr, CacheMode, Kind, Prop, Properties, Rule, Support
from heat_core.properties.support import SupportStatus
from heat_core.resources import ResourceType, registry, resource_schema
from heat_core.stack.naming import PHYSICAL_NAME_LIMIT


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
    if support == Support():
        return None
    form: dict[str, Any] = {"status": support.status.value}
    if support.version is not None:
        form["version"] = support.version
    if support.message is not None:
        form["has_message"] = True
    if support.previous is not None:
        form["previous"] = support_form(support.previous)
    return form


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
        form["value"] = rule.value
    if rule.value_name is not None:
        form["value_name"] = rule.value_name
    if rule.value_path is not None:
        form["value_path"] = list(rule.value_path)
    if rule.finder is not None:
        form |= {"client_plugin": rule.finder.client, "finder": rule.finder.finder}
        if rule.finder.entity is not None:
            form["entity"] = rule.finder.entity
    return form


def filled(resource_class: type[ResourceType]) -> dict[str, Any]:
    """Data with a text in every property that takes one, as the facts were collected."""
    return {
        name: "x" for name, prop in resource_class.properties.items() if prop.kind is Kind.STRING
    }


@pytest.mark.parametrize("name", registry.names())
def test_type_equals_facts(name: str, shared: Path) -> None:
    fact = facts(shared / "facts" / "resource-types")[name]
    resource_class = registry.find(name)
    props = Properties(resource_class.properties, filled(resource_class))

    assert resource_class.name == name
    assert resource_class.__name__ == fact["class"]
    assert {
        key: without_texts(property_form(prop)) for key, prop in resource_class.properties.items()
    } == without_texts(fact["properties"])
    assert {key: attribute_form(attr) for key, attr in resource_class.attributes.items()} == fact[
        "attributes"
    ]
    assert support_form(resource_class.support) == fact.get("support")
    assert [rule_form(rule) for rule in resource_class.translation_rules(props)] == fact.get(
        "translation_rules", []
    )
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
    assert all(form.get("description") for form in (*shown["properties"].values(),)), (
        "every property says what it is for"
    )


def test_schema_with_description_adds_the_type_s_own_text() -> None:
    shown = resource_schema("OS::Heat::Value", with_description=True)

    assert shown["description"].startswith("A name for the value of an expression.")
    assert "description" not in resource_schema("OS::Heat::Value")
