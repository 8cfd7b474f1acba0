"""Rolling updates: how a group of members gets to a new size and definition in batches.

Pure arithmetic, shared by all groups. Source: vectors resolve_group.jsonl, rolling_batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Batch:
    """One step: the group's size after it, and how many members may get the new definition."""

    capacity: int
    updates: int


def next_batch(
    target: int, current: int, up_to_date: int, batch_size: int, min_in_service: int
) -> Batch:
    """The next step of an update of `current` members, `up_to_date` of them new, to `target`.

    Members are added for the time of the step where else fewer than `min_in_service` would work.
    AssertionError when more members are new than there are.
    """
    if up_to_date > current:
        raise AssertionError("more members are up to date than there are members")
    kept = min(min_in_service, target, current)
    updates = min(batch_size, max(target - up_to_date, 0))
    return Batch(updates + max(min(current, target - updates), kept), updates)


def is_done(target: int, current: int, up_to_date: int) -> bool:
    """Whether nothing is left to do."""
    return up_to_date >= current == target


def resource_group_batches(
    target: int, current: int, batch_size: int, min_in_service: int, *, updated: int = 0
) -> Iterator[Batch]:
    """The steps of a ResourceGroup, whose extra members of a step don't count as updated."""
    while not is_done(target, current, updated):
        batch = next_batch(target, current, updated, batch_size, min_in_service)
        yield batch
        updated += batch.updates - max(batch.capacity - max(current, target), 0)
        current = batch.capacity


def scaling_group_batches(
    target: int, current: int, batch_size: int, min_in_service: int
) -> Iterator[Batch]:
    """The steps of a scaling or instance group."""
    updated = 0
    while not is_done(target, current, updated):
        batch = next_batch(target, current, updated, batch_size, min_in_service)
        yield batch
        updated += batch.updates
        current = batch.capacity


def seconds_for_batches(count: int, pause_seconds: float, timeout_seconds: float) -> float:
    """The time left for updates once the pauses between `count` batches are taken off.

    ValueError when the pauses alone take all of it.
    """
    pauses = pause_seconds * max(count - 1, 0)
    if pauses >= timeout_seconds:
        raise ValueError("The current update policy will result in stack update timeout.")
    return timeout_seconds - pauses
