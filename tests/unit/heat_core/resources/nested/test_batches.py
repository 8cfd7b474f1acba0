"""Batches of a rolling update."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heat_core.resources.nested.batches import (
    Batch,
    is_done,
    next_batch,
    resource_group_batches,
    scaling_group_batches,
    seconds_for_batches,
)


def test_a_batch_keeps_members_in_service() -> None:
    # Two at a time, three of three must work: the group grows for the time of the step.
    assert next_batch(3, 3, 0, 2, 3) == Batch(capacity=5, updates=2)
    assert next_batch(3, 3, 0, 2, 1) == Batch(capacity=3, updates=2)
    assert next_batch(3, 3, 0, 2, 0) == Batch(capacity=3, updates=2)


def test_more_new_members_than_members_is_a_bug() -> None:
    with pytest.raises(AssertionError):
        next_batch(1, 1, 2, 1, 0)


def test_when_there_is_nothing_left() -> None:
    assert is_done(3, 3, 3)
    assert not is_done(3, 3, 2)
    assert not is_done(2, 3, 3)


def test_the_steps_of_a_group() -> None:
    assert list(resource_group_batches(3, 3, 2, 0)) == [Batch(3, 2), Batch(3, 1)]
    assert list(resource_group_batches(0, 2, 1, 0)) == [Batch(0, 0)]
    assert list(resource_group_batches(4, 0, 2, 0)) == [Batch(2, 2), Batch(4, 2)]


def test_extra_members_of_a_step_leave_again() -> None:
    group = list(resource_group_batches(2, 2, 1, 2))
    assert [one.capacity for one in group] == [3, 3, 3, 2]
    # A scaling group counts the extra member as updated.
    assert [one.capacity for one in scaling_group_batches(2, 2, 1, 2)] == [3, 3, 2]


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 5), st.integers(0, 12))
def test_every_update_comes_to_an_end_at_its_target(
    target: int, current: int, size: int, in_service: int
) -> None:
    for batches in (resource_group_batches, scaling_group_batches):
        capacity = current
        for count, batch in enumerate(batches(target, current, size, in_service)):
            assert count < 60
            assert batch.updates <= size
            assert batch.capacity >= min(in_service, target, capacity)
            capacity = batch.capacity
        assert capacity == target


def test_pauses_are_taken_off_the_time() -> None:
    assert seconds_for_batches(3, 10, 60) == 40
    assert seconds_for_batches(0, 10, 60) == 60
    with pytest.raises(ValueError, match="will result in stack update timeout"):
        seconds_for_batches(3, 30, 60)
