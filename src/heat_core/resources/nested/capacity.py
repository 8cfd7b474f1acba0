"""How large a scaling group becomes by an adjustment (vectors resolve_group, scaling_capacity)."""

from __future__ import annotations

import math
from typing import Final

from heat_core.errors import StackValidationFailed

EXACT: Final = frozenset({"exact_capacity", "ExactCapacity"})
CHANGE: Final = frozenset({"change_in_capacity", "ChangeInCapacity"})
PERCENT: Final = frozenset({"percent_change_in_capacity", "PercentChangeInCapacity"})


def check_sizes(minimum: int, maximum: int, desired: int | None) -> None:
    """Raise StackValidationFailed for sizes of a scaling group that contradict each other."""
    if maximum < minimum:
        raise StackValidationFailed(message="MinSize can not be greater than MaxSize")
    if minimum < 0:
        raise StackValidationFailed(
            message="The size of AutoScalingGroup can not be less than zero"
        )
    if desired is not None and not minimum <= desired <= maximum:
        raise StackValidationFailed(message="DesiredCapacity must be between MinSize and MaxSize")


def new_capacity(
    current: int,
    adjustment: int,
    adjustment_type: str,
    *,
    minimum: int,
    maximum: int,
    min_step: int | None = None,
) -> int:
    """The new size, kept within the bounds.

    A percentage of less than one member counts as one, of more it is rounded towards zero;
    `min_step` is the least change by a percentage. The types of OS and of AWS are both known; any
    other counts as a percentage.
    """
    if adjustment_type in CHANGE:
        capacity = current + adjustment
    elif adjustment_type in EXACT:
        capacity = adjustment
    else:
        capacity = current + _step(current * adjustment / 100.0, min_step)
    if capacity > maximum:
        return maximum
    return max(capacity, minimum)


def _step(change: float, min_step: int | None) -> int:
    away = math.ceil(change) if change > 0 else math.floor(change)
    step = away if abs(change) < 1 else math.trunc(change)
    if min_step and min_step > abs(step):
        return min_step if step > 0 else -min_step
    return step
