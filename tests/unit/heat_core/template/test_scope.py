"""Scopes and resolutions."""

from typing import Any

import pytest

from heat_core.errors import InvalidTemplateReference
from heat_core.template import Resolution
from heat_core.template.scope import top_level


def test_only_enabled_resources_are_there(stage: Any) -> None:
    assert stage.at.require("srv") == "srv"
    for name in ("off", "ghost", 5):
        with pytest.raises(InvalidTemplateReference):
            stage.at.require(name)


def test_attribute_names_come_from_the_nodes_unless_given(stage: Any) -> None:
    assert stage.at.attribute_names("srv") == {"name", "tags", "show", "bad"}
    given = Resolution(stage.definition.scope, {}, {"srv": {"x"}})
    assert given.attribute_names("srv") == {"x"}
    with pytest.raises(AssertionError):
        Resolution(stage.definition.scope, {}).attribute_names("srv")


def test_a_node_is_looked_up_by_name(stage: Any) -> None:
    assert stage.at.node("srv").reference_id == "srv-id"
    assert Resolution(stage.definition.scope, {}).node("srv") is None


def test_top_level_names() -> None:
    assert top_level(["a", ("b", 1), ("b", "x")]) == {"a", "b"}
