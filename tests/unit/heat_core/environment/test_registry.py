"""Which type a type is."""

from typing import Any

import pytest

from heat_core.environment import EntryKind, Registry
from heat_core.errors import (
    EntityNotFound,
    Invalid,
    InvalidBreakPointHook,
    InvalidRestrictedAction,
    StackValidationFailed,
)

BUILT_IN = frozenset({"OS::Heat::None", "OS::Heat::Value", "OS::New::Port"})
GLOBAL = {"OS::Alias": "OS::Heat::Value", "OS::Old*": "OS::New*"}


def _registry(content: Any) -> Registry:
    return Registry(content, global_registry=Registry(GLOBAL, built_in=BUILT_IN.__contains__))


@pytest.mark.parametrize(
    ("content", "type_name", "resource", "found"),
    [
        ({}, "OS::Heat::None", None, "OS::Heat::None"),
        ({}, "OS::Alias", None, "OS::Heat::Value"),
        ({}, "OS::Old::Port", None, "OS::New::Port"),
        ({}, "x.yaml", None, "x.yaml"),
        ({"My::Thing": "a.template"}, "My::Thing", None, "a.template"),
        ({"My::A": "My::B", "My::B": "OS::Heat::None"}, "My::A", None, "OS::Heat::None"),
        ({"My::*": "OS::Heat::*"}, "My::Value", None, "OS::Heat::Value"),
        ({"OS::Heat::*": "OS::Heat::None"}, "OS::Heat::Value", None, "OS::Heat::None"),
        ({"OS::Heat::*": "OS::Heat::None"}, "OS::Heat::None", None, "OS::Heat::None"),
        ({"resources": {"r": {"T": "OS::Heat::None"}}, "T": "a.yaml"}, "T", "r", "OS::Heat::None"),
        ({"resources": {"r": {"T": "OS::Heat::None"}}, "T": "a.yaml"}, "T", "s", "a.yaml"),
    ],
)
def test_types_are_followed(content: Any, type_name: str, resource: str | None, found: str) -> None:
    assert _registry(content).resolve_type(type_name, resource) == found


@pytest.mark.parametrize(
    ("content", "type_name"),
    [
        ({}, "No::Such"),
        ({}, "OS::Old::Nope"),
        ({"A": "B", "B": "A"}, "A"),
        ({"A": ""}, "A"),
        ({"My::*": "all.yaml"}, "My::Thing"),
    ],
)
def test_what_leads_nowhere_is_not_found(content: Any, type_name: str) -> None:
    with pytest.raises(EntityNotFound) as caught:
        _registry(content).find(type_name)
    assert str(caught.value) == f"The Resource Type ({type_name}) could not be found."
    with pytest.raises(StackValidationFailed):
        _registry(content).resolve_type(type_name, "r")


@pytest.mark.parametrize(
    ("type_name", "text"),
    [
        ("", 'Resource "r" has no type'),
        (None, 'Non-empty resource type is required for resource "r"'),
        (5, 'Resource "r" type is not a string'),
    ],
)
def test_what_is_no_type(type_name: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        _registry({}).resolve_type(type_name, "r")
    assert str(caught.value) == text


def test_a_mapping_out_of_the_registry_is_kept_with_the_stack() -> None:
    registry = _registry({})
    registry.resolve_type("OS::Alias")
    registry.resolve_type("OS::Old::Port")
    assert registry.as_dict() == {
        "resources": {},
        "OS::Alias": "OS::Heat::Value",
        "OS::Old::Port": "OS::New*",
    }
    assert registry.resolve_type("OS::Old::Port") == "OS::New::Port"


def test_kinds_and_ignored_entries() -> None:
    registry = _registry({"OS::Heat::Value": "v.yaml"})
    entry = registry.find("OS::Heat::Value")
    assert (entry.kind, entry.value, entry.is_user) == (EntryKind.TEMPLATE, "v.yaml", True)
    behind = registry.find("OS::Heat::Value", ignore=entry)
    assert (behind.kind, behind.is_user) == (EntryKind.BUILT_IN, False)
    assert registry.find("OS::Heat::Value", kinds=[EntryKind.BUILT_IN]) == behind


def test_null_removes() -> None:
    registry = _registry({"A::x": "a.yaml", "A::y": "b.yaml", "B": "c.yaml"})
    registry.load({"A::*": None, "B": None, "C": None})
    assert registry.as_dict() == {"resources": {}}


def test_hooks_and_restrictions_match_patterns() -> None:
    registry = _registry(
        {
            "resources": {
                "web_*": {"hooks": ["pre-create", "post-delete"], "restricted_actions": "update"},
                "web_1": {"hooks": "pre-update", "restricted_actions": ["replace"]},
            }
        }
    )
    assert registry.has_hook("web_1", "pre-create")
    assert registry.has_hook("web_1", "pre-update")
    assert not registry.has_hook("web_2", "pre-update")
    assert not registry.has_hook("WEB_2", "pre-create")
    assert registry.restricted_actions("web_1") == {"update", "replace"}
    assert registry.restricted_actions("other") == frozenset()


def test_bad_words_are_refused() -> None:
    with pytest.raises(InvalidBreakPointHook, match='Invalid hook type "zzz" for resource'):
        _registry({"resources": {"a": {"hooks": "zzz"}}})
    with pytest.raises(InvalidRestrictedAction, match=r"are: \('update', 'replace'\)"):
        _registry({"resources": {"a": {"restricted_actions": ["zzz"]}}})
    with pytest.raises(Invalid):
        _registry({"A": 5})


def test_for_a_nested_stack() -> None:
    registry = _registry(
        {
            "T": "t.yaml",
            "resources": {"g": {"inner": {"hooks": "pre-create"}}, "g*": {"x": {"T": "x.yaml"}}},
        }
    )
    registry.remove_template(registry.find("T"))
    registry.keep_resource("g")
    assert registry.as_dict() == {
        "resources": {"inner": {"hooks": "pre-create"}, "x": {"T": "x.yaml"}}
    }
    built_in = registry.find("OS::Heat::None")
    registry.remove_template(built_in)


def test_a_template_that_was_used_is_kept() -> None:
    operators = Registry({"OS::Alias": "file:///x.yaml"}, built_in=BUILT_IN.__contains__)
    registry = Registry({"resources": {"r": {"T": "t.yaml"}}}, global_registry=operators)
    registry.note_template(registry.find("OS::Alias"))
    registry.note_template(registry.find("T", "r"))
    assert registry.as_dict() == {
        "OS::Alias": "file:///x.yaml",
        "resources": {"r": {"T": "t.yaml"}},
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({5: "a.yaml"}, "the registry entry 5 has no text for a name"),
        ({"T": "a.yaml", "resources": {"T": {1: "x"}}}, "the registry entry 1 has no text"),
        ({"resources": "text"}, "the registry entry resources is no map"),
        ({"resources": {"r": "text"}}, "the registry entry resources.r is no map"),
        ({"resources": {"r*": "text"}}, "the registry entry resources.r* is no map"),
        ({"T": {"a": "b"}}, "the registry entry T is no text"),
        ({"T*": {"a": "b"}}, "the registry entry T* is no text"),
        ({"resources": {"r": {"T": {"a": "b"}}}}, "the registry entry T is no text"),
    ],
)
def test_text_where_maps_should_be_is_the_users_mistake(content: Any, said: str) -> None:
    with pytest.raises(Invalid) as caught:
        _look_up(content)
    assert said in str(caught.value)


def _look_up(content: Any) -> None:
    registry = _registry(content)
    registry.restricted_actions("r")
    registry.find("T", "r")


def test_a_name_is_text_or_a_map_but_not_both() -> None:
    registry = _registry({"T": "a.yaml"})
    with pytest.raises(Invalid, match="T is both text and a map"):
        registry.load({"T": {"a": "b"}})


def test_a_removed_section_is_empty() -> None:
    registry = _registry({"resources": None})
    assert not registry.has_own("r")
    assert registry.find("OS::Heat::None", "r").name == "OS::Heat::None"
