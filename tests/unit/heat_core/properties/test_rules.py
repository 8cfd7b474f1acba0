from __future__ import annotations

from typing import Any

import pytest

from heat_core.properties import Finder, Rule, RuleKind
from heat_core.properties import rules as rule
from heat_core.properties.rules import RuleTable


def test_rules_apply_in_the_order_of_their_kinds() -> None:
    made = [
        rule.delete(["p"]),
        rule.resolve(["p"], "c", "f"),
        rule.replace(["p"], value="x"),
        rule.add(["p"], value=["x"]),
    ]

    assert [each.kind.shown for each in sorted(made, key=lambda each: each.kind)] == [
        "Add",
        "Replace",
        "Resolve",
        "Delete",
    ]


def test_where_a_value_comes_from() -> None:
    sibling = rule.replace(["a", "b"], value_name="c")
    elsewhere = rule.replace(["a", "b"], value_path=("x", "y"))

    assert sibling.key == "a.b"
    assert (sibling.source(), sibling.source(whole=True)) == (("c",), ("a", "c"))
    assert elsewhere.source() == elsewhere.source(whole=True) == ("x", "y")


def test_a_finder_names_what_it_looks_for() -> None:
    assert rule.resolve(["p"], "neutron", "find_resourceid_by_name_or_id", "network").finder == (
        Finder("neutron", "find_resourceid_by_name_or_id", "network")
    )


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"kind": "Rename", "path": ["p"]}, "There is no rule Rename. List of allowed rules is: "),
        ({"kind": "Delete", "path": []}, '"translation_path" should be non-empty list'),
        ({"kind": "Delete", "path": "p"}, '"translation_path" should be non-empty list'),
        ({"kind": "Add", "path": ["p"], "value": "x"}, '"value" must be list type when rule is'),
        (
            {"kind": "Replace", "path": ["p"], "value": "x", "value_name": "y"},
            '"value_path", "value" and "value_name" are mutually exclusive',
        ),
        ({"kind": "Resolve", "path": ["p"]}, '"client_plugin" and "finder" should be specified'),
    ],
)
def test_bad_rules(how: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        Rule.read(**how)
    assert str(caught.value).startswith(text)


def test_reading_a_good_one() -> None:
    assert Rule.read("Delete", ["p"]) == Rule(kind=RuleKind.DELETE, path=("p",))


def test_a_table_sorts_the_rules_of_a_property() -> None:
    resolve = rule.resolve(["networks", "port"], "neutron", "find")
    replace = rule.replace(["networks", "port"], value_name="uuid")
    table = RuleTable.of([resolve, replace, rule.delete(["old"])])
    assert table.by_path["networks.port"] == (replace, resolve)
    assert table.deleted == {"old"}
    assert table.replaced == {"networks.uuid"}
    # Rules of a list are rules of its members too.
    assert table.maps == {"", "old", "networks", "networks.port", "networks.uuid"}


def test_a_table_without_look_ups() -> None:
    table = RuleTable.of([rule.resolve(["a"], "nova", "find")], resolve=False)
    assert table == RuleTable()
    assert table.maps == frozenset()
