"""What one finished node tells others, on the wire (rules/i-convergence.md#26)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heat_core.stack import NodeData
from heat_core.stack.ids import ResourceId
from heat_core.stack.node_data import decode_key, encode_key

PARTS = st.one_of(st.text(), st.integers(), st.booleans(), st.none())
NAMES = st.text().filter(lambda text: not text.startswith("tuple:"))
KEYS = st.one_of(NAMES, st.tuples(PARTS), st.tuples(PARTS, PARTS, PARTS))


def test_the_wire_has_heats_keys_in_heats_order() -> None:
    data = NodeData(
        ResourceId(4),
        "a",
        "uuid-4",
        "ref",
        {"output": "v", ("show", "id"): 1},
        "UPDATE",
        "COMPLETE",
    )
    assert json.dumps(data.to_wire()) == (
        '{"id": 4, "name": "a", "reference_id": "ref", '
        '"attrs": {"output": "v", "tuple:(\'show\', \'id\')": 1}, '
        '"status": "COMPLETE", "action": "UPDATE", "uuid": "uuid-4"}'
    )


def test_a_row_that_nothing_was_done_with_is_init_complete() -> None:
    data = NodeData(ResourceId(4), "a", "uuid-4", None)
    assert (data.action, data.status, dict(data.attributes)) == ("INIT", "COMPLETE", {})
    assert NodeData.from_wire(data.to_wire()) == data


@given(st.dictionaries(KEYS, st.one_of(PARTS, st.lists(PARTS, max_size=2)), max_size=4))
def test_what_was_written_is_read_back_through_json(attributes: dict[object, object]) -> None:
    data = NodeData(ResourceId(4), "a", "uuid-4", "ref", attributes)  # type: ignore[arg-type]  # any keys
    assert NodeData.from_wire(json.loads(json.dumps(data.to_wire()))) == data


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("output", "output"),
        (("show", "id"), "tuple:('show', 'id')"),
        (("networks", "net'1", 0), """tuple:('networks', "net'1", 0)"""),
        (("a",), "tuple:('a',)"),
    ],
)
def test_keys_are_the_repr_of_tuples(key: str | tuple[object, ...], text: str) -> None:
    assert encode_key(key) == text
    assert decode_key(text) == key


@pytest.mark.parametrize("text", ["tuple:", "tuple:(", "tuple:7", "tuple:['a']", "tuple:f()"])
def test_what_follows_the_prefix_must_be_a_tuple(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_key(text)
