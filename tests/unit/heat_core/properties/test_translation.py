from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import EntityNotFound, StackValidationFailed
from heat_core.properties import Answers, Finder, Prop, Properties, Question, Rule
from heat_core.properties import rules as rule
from heat_core.properties.rules import RuleTable

FINDER = Finder("client", "find")
SCHEMA = {
    "network": Prop.string(),
    "network_id": Prop.string(),
    "ports": Prop.list(schema=Prop.map(schema={"id": Prop.string(), "old": Prop.string()})),
    "groups": Prop.list(),
    "group": Prop.string(),
}


def values(data: dict[str, Any], *rules: Rule, **how: bool) -> dict[str, Any]:
    properties = Properties(SCHEMA, data)
    properties.translation.set_rules(rules, **how)
    return {name: value for name, value in properties.items() if value is not None}


def test_replace_moves_a_value() -> None:
    moved = values({"network_id": "n"}, rule.replace(["network"], value_path=("network_id",)))

    assert moved == {"network": "n"}


def test_replace_refuses_two_values() -> None:
    with pytest.raises(StackValidationFailed) as caught:
        values(
            {"network_id": "n", "network": "m"},
            rule.replace(["network"], value_path=("network_id",)),
        )
    assert str(caught.value) == (
        "Cannot define the following properties at the same time: network, network_id"
    )


def test_replace_inside_list_members() -> None:
    moved = values(
        {"ports": [{"old": "a"}, {"id": "b"}]},
        rule.replace(["ports", "id"], value_name="old"),
    )

    assert moved == {"ports": [{"id": "a", "old": None}, {"id": "b", "old": None}]}


def test_add_does_not_change_what_was_given() -> None:
    data = {"groups": ["a"], "group": "b"}
    added = values(data, rule.add(["groups"], value_path=("group",)))

    assert added == {"groups": ["a", "b"], "group": "b"}
    assert data == {"groups": ["a"], "group": "b"}


def test_add_to_what_is_no_list() -> None:
    with pytest.raises(ValueError, match='non-list translation value "group"'):
        values({"group": "x"}, rule.add(["group"], value=["y"]))


def test_delete_lets_the_default_through() -> None:
    properties = Properties({"a": Prop.string(default="d")}, {"a": "x"})
    properties.translation.set_rules([rule.delete(["a"])])

    assert properties["a"] == "d"
    properties.validate()


def answered(data: dict[str, Any], ids: dict[str, Any], **how: bool) -> Properties:
    answers = Answers()
    for name, found in ids.items():
        answers.put_id(Question(FINDER, name), found)
    properties = Properties(SCHEMA, data, answers=answers)
    properties.translation.set_rules(
        [rule.resolve(["network"], "client", "find"), rule.resolve(["groups"], "client", "find")],
        **how,
    )
    return properties


def test_resolve_uses_the_answers() -> None:
    properties = answered({"network": "n", "groups": ["a", "", "b"]}, {"n": 1, "a": 2, "b": 3})

    assert properties["network"] == "1"
    assert properties["groups"] == [2, None, 3]


def test_resolve_of_nothing_asks_nothing() -> None:
    properties = answered({"network": ""}, {})

    assert properties["network"] == ""
    assert properties["groups"] is None


def test_resolve_can_be_left_out() -> None:
    assert answered({"network": "n"}, {"n": "id"}, resolve=False)["network"] == "n"


def test_a_failed_look_up_is_the_value_s_fault_unless_ignored() -> None:
    failure = EntityNotFound(entity="Net", name="n")

    with pytest.raises(ValueError, match=r"^The Net \(n\) could not be found.$"):
        answered({"network": "n"}, {"n": failure})["network"]
    assert answered({"network": "n"}, {"n": failure}, ignore_errors=True)["network"] == "n"


def test_without_new_rules_the_former_ones_stay() -> None:
    properties = Properties({"a": Prop.string(), "b": Prop.string()}, {"a": "x", "b": "y"})
    properties.translation.set_rules([rule.delete(["a"])])
    properties.translation.set_rules([])

    assert dict(properties) == {"a": None, "b": "y"}


def test_only_maps_that_rules_speak_of_are_touched() -> None:
    props = Properties({"a": Prop.string()}, {})
    assert not props.translation.touches("")
    props.translation.use(RuleTable.of([rule.replace(["nets", "port"], value_name="uuid")]))
    assert props.translation.touches("nets")
    assert props.translation.touches("nets.0")
    assert not props.translation.touches("")
    assert not props.translation.touches("others.0")


def test_what_earlier_rules_took_away_stays_away() -> None:
    props = Properties({"a": Prop.string(), "b": Prop.string()}, {"a": "x", "b": "y"})
    props.translation.set_rules([rule.delete(["a"])])
    props.translation.set_rules([rule.delete(["b"])])
    assert props.values_by_name() == {"a": None, "b": None}
    props.translation.set_rules([])
    assert props.translation.withdrawn("a")
