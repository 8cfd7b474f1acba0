"""Plain data on its way to a worker and back."""

import datetime
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heat_io.sandbox.wire import decode, encode

_keys = st.none() | st.booleans() | st.integers() | st.text() | st.binary()
_scalars = _keys | st.floats(allow_nan=False) | st.dates() | st.times() | st.datetimes()
_data = st.recursive(
    _scalars | st.sets(st.integers()) | st.frozensets(st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(_keys, inner) | st.lists(inner).map(tuple),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(_data)
def test_data_comes_back_as_it_went(data: Any) -> None:
    back = decode(encode(data))
    assert back == data
    assert type(back) is type(data)


@pytest.mark.parametrize(
    "data",
    [
        {"!": 1},
        {"!": ["tuple", [1]]},
        {"a": {"!": {"!": None}}},
        10**50,
        -(10**50),
        "\ud800",
        {1: {(1, 2): {3}}},
        math.inf,
    ],
)
def test_what_json_lacks(data: Any) -> None:
    assert decode(encode(data)) == data


def test_integers_beyond_what_becomes_text() -> None:
    assert decode(encode([-(10**5000)])) == [-(10**5000)]


def test_iterators_and_subclasses_become_plain() -> None:
    class Text(str):
        __slots__ = ()

    assert decode(encode([Text("a"), iter([1, 2])])) == ["a", [1, 2]]


def test_anything_else_is_refused() -> None:
    with pytest.raises(TypeError, match="object is no plain data"):
        encode([object()])


@pytest.mark.parametrize(
    "data", [b'{"!":["system","ls"]}', b'{"!":["int",5]}', b"{", b'{"!":["set",[[1]]]}']
)
def test_only_data_comes_out(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"not made by a worker|Expecting"):
        decode(data)


def test_times_keep_their_zone() -> None:
    moment = datetime.datetime(2015, 1, 2, tzinfo=datetime.UTC)
    assert decode(encode(moment)) == moment
