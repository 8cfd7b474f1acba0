"""The walks over parsed trees."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.template import (
    attribute_references,
    dependencies,
    functions_in,
    resolve,
    unparsed,
    validate,
)


def test_resolve_leaves_data_alone_and_makes_new_containers(stage: Any) -> None:
    data = {"a": [1, None, {"b": 1.5}], "c": True}
    tree = stage.parse(data)
    result = resolve(tree, stage.at)
    assert result == data
    assert result["a"] is not tree["a"]


def test_validate_puts_the_place_in_front(stage: Any) -> None:
    tree = stage.parse({"a": ["x", {"list_join": [",", [{"get_resource": "ghost"}]]}]})
    with pytest.raises(StackValidationFailed) as caught:
        validate(stage.parse({"a": ["x", {"make_url": 5}]}), stage.at, ["Properties"])
    assert caught.value.path == ["Properties", "a[1]", "make_url"]
    assert str(caught.value) == (
        'Properties.a[1].make_url: The arguments to "make_url" must be a map'
    )
    validate(tree, stage.at)


def test_a_list_at_the_top_has_no_name(stage: Any) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        validate(stage.parse(["x", {"make_url": 5}]), stage.at)
    assert caught.value.path == ["[1]", "make_url"]


def test_an_assertion_is_ours_not_the_users(make_stage: Any) -> None:
    stage = make_stage(nodes={})
    with pytest.raises(AssertionError):
        validate(stage.parse({"get_attr": ["srv", "name"]}), stage.at)


def test_references_are_found_everywhere(stage: Any) -> None:
    tree = stage.parse(
        {
            "a": {"if": ["yes", {"get_resource": "srv"}, 1]},
            "b": [{"list_join": [",", [{"get_attr": ["srv", "name"]}]]}],
        }
    )
    assert list(dependencies(tree, stage.at)) == ["srv", "srv"]
    assert list(attribute_references(tree, stage.at)) == [("srv", "name")]
    assert [function.name for function in functions_in(tree)] == [
        "if",
        "get_resource",
        "list_join",
        "get_attr",
    ]


def test_unparsed_gives_the_template_back_but_for_what_an_if_chose(stage: Any) -> None:
    written = {"a": [{"get_param": "p"}], "b": {"if": ["yes", {"get_file": "f"}, 1]}}
    assert unparsed(stage.parse(written)) == {"a": [{"get_param": "p"}], "b": {"get_file": "f"}}
    assert repr(stage.parse({"get_param": "p"})) == "<GetParam {get_param: 'p'}>"
