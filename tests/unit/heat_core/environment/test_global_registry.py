"""The registry behind every user's."""

import json
from pathlib import Path

import pytest

from heat_core.environment import (
    EntryKind,
    Environment,
    Registry,
    global_registry,
    make_global_registry,
    using_global_registry,
)
from heat_core.environment.global_registry import DEFAULT_MAPPINGS
from heat_core.errors import EntityNotFound


def test_the_default_mappings_are_those_recorded(shared: Path) -> None:
    facts = json.loads((shared / "facts/resource-aliases.json").read_text())
    assert dict(DEFAULT_MAPPINGS) == facts["resource_registry"]


def test_built_in_types_are_there() -> None:
    entry = global_registry().find("OS::Heat::Value")
    assert (entry.kind, entry.value, entry.is_user) == (
        EntryKind.BUILT_IN,
        "OS::Heat::Value",
        False,
    )
    assert global_registry() is global_registry()


def test_an_operator_lays_mappings_over() -> None:
    registry = make_global_registry(({"resource_registry": {"My::T": "OS::Heat::None"}},))
    assert registry.resolve_type("My::T") == "OS::Heat::None"
    assert registry.as_dict() == {"resources": {}}


def test_an_operator_without_the_files_of_heat_has_none_of_its_mappings() -> None:
    registry = make_global_registry(
        ({"resource_registry": {"My::T": "OS::Heat::None"}},), mappings={}
    )
    with pytest.raises(EntityNotFound):
        registry.find("OS::Metering::Alarm")
    assert registry.resolve_type("OS::Heat::None") == "OS::Heat::None"


def test_an_installed_registry_stands_behind_every_environment() -> None:
    operators = make_global_registry(({"resource_registry": {"My::T": "OS::Heat::None"}},))
    with using_global_registry(operators):
        assert global_registry() is operators
        environment = Environment.from_dict({"resource_registry": {"Your::T": "My::T"}})
        assert environment.registry.resolve_type("Your::T") == "OS::Heat::None"
    assert global_registry() is not operators
    with pytest.raises(EntityNotFound):
        Environment().registry.find("My::T")


def test_an_operator_can_take_built_in_types_away() -> None:
    registry = make_global_registry(
        ({"resource_registry": {"OS::Heat::Value": None, "OS::Nova::*": None}},)
    )
    for name in ("OS::Heat::Value", "OS::Nova::Server"):
        assert registry.removes(name)
        with pytest.raises(EntityNotFound):
            registry.find(name)
    assert registry.resolve_type("OS::Heat::None") == "OS::Heat::None"
    again = make_global_registry(
        (
            {"resource_registry": {"OS::Heat::Value": None}},
            {"resource_registry": {"OS::Heat::Value": "OS::Heat::None"}},
        )
    )
    assert again.resolve_type("OS::Heat::Value") == "OS::Heat::None"
    mine = Registry({"OS::Heat::None": None}, global_registry=make_global_registry())
    assert mine.resolve_type("OS::Heat::None") == "OS::Heat::None"
