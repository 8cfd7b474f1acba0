"""Writes that follow one from another: none is tried unless the one before was as foreseen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy import Connection

from heat_io.database import Applied, Lost, Step, Write, follows, in_sequence


class Tried:
    """Writes of one number each, and which of them were tried."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def write(self, number: int, *, lost: bool = False, label: str = "write") -> Write[int]:
        def apply(connection: Connection) -> Applied[int] | Lost:
            self.numbers.append(number)
            return Lost() if lost else Applied(number)

        def confirm(connection: Connection) -> Applied[int] | Lost:
            self.numbers.append(-number)
            return Lost() if lost else Applied(number)

        return Write(apply, confirm, order=(1, number), label=label)


@pytest.fixture
def tried() -> Tried:
    return Tried()


def outcome(steps: Sequence[Step]) -> Applied[tuple[object, ...]] | Lost:
    return in_sequence(steps).apply(None)


def test_each_has_its_own_verdict(tried: Tried) -> None:
    steps = [Step(tried.write(1)), Step(tried.write(2, lost=True), 0), Step(tried.write(3), 0)]
    assert outcome(steps) == Applied((Applied(1), Lost(), Applied(3)))
    assert tried.numbers == [1, 2, 3]


def test_what_follows_from_a_lost_one_is_not_tried(tried: Tried) -> None:
    steps = [Step(tried.write(1)), Step(tried.write(2, lost=True), 0), Step(tried.write(3), 1)]
    assert outcome(steps) == Applied((Applied(1), Lost(), Lost()))
    assert tried.numbers == [1, 2]


def test_what_follows_from_another_value_than_was_foreseen_is_not_tried(tried: Tried) -> None:
    steps = [Step(tried.write(1), is_foreseen=lambda value: value == 7), Step(tried.write(2), 0)]
    assert outcome(steps) == Applied((Applied(1), Lost()))
    assert tried.numbers == [1]
    assert follows(steps[0], Applied(7))
    assert not follows(steps[0], Lost())


def test_all_are_lost_with_the_first(tried: Tried) -> None:
    assert outcome([Step(tried.write(1, lost=True)), Step(tried.write(2), 0)]) == Lost()
    assert tried.numbers == [1]


def test_in_doubt_each_is_looked_for(tried: Tried) -> None:
    steps = [Step(tried.write(1)), Step(tried.write(2, lost=True), 0), Step(tried.write(3), 1)]
    assert in_sequence(steps).confirm(None) == Applied((Applied(1), Lost(), Lost()))
    assert tried.numbers == [-1, -2]


def test_it_stands_where_the_first_would(tried: Tried) -> None:
    write = in_sequence([Step(tried.write(4, label="a")), Step(tried.write(2, label="b"), 0)])
    assert (write.order, write.label) == ((1, 4), "a+b")
