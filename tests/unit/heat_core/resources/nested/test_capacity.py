"""Sizes of scaling groups."""

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.resources.nested.capacity import check_sizes, new_capacity


@pytest.mark.parametrize(
    ("adjustment", "kind", "expected"),
    [
        (2, "change_in_capacity", 6),
        (-2, "ChangeInCapacity", 2),
        (3, "exact_capacity", 3),
        (99, "ExactCapacity", 8),
        (-99, "change_in_capacity", 1),
        (50, "percent_change_in_capacity", 6),
        (30, "PercentChangeInCapacity", 5),  # 1.2 members: towards zero
        (-30, "percent_change_in_capacity", 3),
        (10, "percent_change_in_capacity", 5),  # less than one counts as one
        (-10, "percent_change_in_capacity", 3),
        (0, "percent_change_in_capacity", 4),
    ],
)
def test_adjustments(adjustment: int, kind: str, expected: int) -> None:
    assert new_capacity(4, adjustment, kind, minimum=1, maximum=8) == expected


def test_the_least_step_of_a_percentage() -> None:
    percent = "percent_change_in_capacity"
    assert new_capacity(4, 10, percent, minimum=0, maximum=9, min_step=2) == 6
    assert new_capacity(4, -10, percent, minimum=0, maximum=9, min_step=2) == 2
    assert new_capacity(4, 100, percent, minimum=0, maximum=9, min_step=2) == 8


def test_bounds_that_cross() -> None:
    assert new_capacity(5, 9, "exact_capacity", minimum=7, maximum=3) == 3
    assert new_capacity(5, 1, "exact_capacity", minimum=7, maximum=3) == 7


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ((2, 1, None), "MinSize can not be greater than MaxSize"),
        ((-1, 1, None), "The size of AutoScalingGroup can not be less than zero"),
        ((1, 3, 4), "DesiredCapacity must be between MinSize and MaxSize"),
        ((1, 3, 0), "DesiredCapacity must be between MinSize and MaxSize"),
    ],
)
def test_sizes_that_contradict(sizes: tuple[int, int, int | None], text: str) -> None:
    with pytest.raises(StackValidationFailed, match=text):
        check_sizes(*sizes)


def test_sizes_that_agree() -> None:
    check_sizes(1, 3, None)
    check_sizes(1, 3, 3)
