"""The registry behind every user's."""

import json
from pathlib import Path

from heat_core.environment import EntryKind, global_registry, make_global_registry
from heat_core.environment.global_registry import DEFAULT_MAPPINGS


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
