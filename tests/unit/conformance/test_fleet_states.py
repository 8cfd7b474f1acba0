"""How two databases are compared when their ids differ, and how work is shared out."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.conformance.fleet_mixed import Result, compare, shares
from tests.conformance.fleet_states import Tables, differences, normalised, plain

STACK = {
    "id": "s",
    "name": "st",
    "owner_id": None,
    "nested_depth": 0,
    "created_at": 1,
    "updated_at": None,
    "deleted_at": None,
    "action": "CREATE",
    "status": "COMPLETE",
    "status_reason": "done",
    "timeout": None,
    "disable_rollback": 1,
    "backup": 0,
    "convergence": 1,
    "parent_resource_name": None,
    "username": "u",
    "tenant": "t",
    "user_creds_id": None,
    "raw_template_id": 1,
    "prev_raw_template_id": None,
    "stack_user_project_id": None,
    "current_traversal": "x",
    "current_deps": '{"edges": [[[7, true], [8, true]]]}',
}


def row(number: int, name: str, **fields: Any) -> dict[str, Any]:
    values = {
        "id": number,
        "stack_id": "s",
        "root_stack_id": "s",
        "name": name,
        "action": "CREATE",
        "status": "COMPLETE",
        "status_reason": "state changed",
        "nova_instance": f"st-{name}-abcdefghij23",
        "atomic_key": 2,
        "engine_id": None,
        "properties_data": None,
        "rsrc_metadata": "{}",
        "needed_by": "[]",
        "requires": "[]",
        "replaces": None,
        "replaced_by": None,
        "current_template_id": 1,
        "updated_at": None,
        "rsrc_prop_data_id": None,
        "attr_data_id": None,
    }
    return values | fields


def tables(*rows: dict[str, Any], **stack: Any) -> Tables:
    template = {"template": "{}", "environment": "{}", "files": "null", "files_id": None}
    return Tables([STACK | stack], rows, [], {1: template}, {}, {}, [], [], {})


def test_what_differs_by_chance_is_masked() -> None:
    uuid = "0d8c1f9e-7a11-4a77-8a3c-0a1b2c3d4e5f"
    text = f"st-a-abcdefghij23 {uuid} {'0a' * 16} {'x' * 40}"
    assert plain({"k": [text]}) == {"k": ["st-a-<shortid> <uuid> <hex> <random>"]}
    assert plain("an ordinary name-of-things") == "an ordinary name-of-things"


def test_other_ids_make_no_difference() -> None:
    left = tables(row(7, "a", requires="[8]"), row(8, "b"))
    deps = '{"edges": [[[17, true], [18, true]]]}'
    right = tables(row(17, "a", requires="[18]"), row(18, "b"), current_deps=deps)
    assert list(differences(normalised(left), normalised(right))) == []


def test_each_difference_is_told_with_its_place() -> None:
    left = normalised(tables(row(7, "a"), row(8, "b")))
    right = normalised(tables(row(7, "a", status="FAILED"), row(8, "b"), row(9, "b")))
    found = list(differences(left, right))
    assert "st: row a.status: COMPLETE became FAILED" in found
    assert any(text.startswith("st: row b': None became") for text in found)
    assert list(differences(left, {})) == ["st: not there"]


def result(creds: Any, **claims: Counter[str]) -> Result:
    states = {
        step: {"st/g": {"stack": {"creds": creds}}} for step in ("create", "update", "delete")
    }
    return Result(states=states, claims=claims)


def test_what_is_meant_is_counted_apart() -> None:
    different, meant = compare(result(None), result({"username": None}))
    assert [text.split(" ")[0] for text in different] == ["create"]
    assert meant.total() == 2


def test_an_engine_that_does_too_little_is_named() -> None:
    lines, wrong = shares(result(None, st=Counter(heat=9, trio=1)))
    assert lines == ["st: heat 9, trio 1", "all: heat 9 (90%), trio 1 (10%)"]
    assert wrong == ["trio did 1 of 10 nodes, less than 20%"]
    assert shares(result(None, st=Counter(heat=5, trio=5)))[1] == []
