"""Limits of stacks."""

import pytest

from heat_core.errors import RequestLimitExceeded
from heat_core.stack import DEFAULT_LIMITS, StackLimits, TreeCount
from heat_core.stack.limits import MOST_LOOKED_AT


def test_depth() -> None:
    assert DEFAULT_LIMITS.check_depth(4) == 5
    with pytest.raises(RequestLimitExceeded, match="Recursion depth exceeds 5"):
        DEFAULT_LIMITS.check_depth(5)


def test_resources() -> None:
    DEFAULT_LIMITS.check_resources(1000)
    with pytest.raises(RequestLimitExceeded, match="Maximum resources per stack exceeded"):
        DEFAULT_LIMITS.check_resources(1001)
    StackLimits(max_resources_per_stack=-1).check_resources(10**9)


def test_a_tree_is_counted_while_it_is_looked_at() -> None:
    count = TreeCount(StackLimits(max_resources_per_stack=10), start=4)
    count.add(6)
    with pytest.raises(RequestLimitExceeded, match="Maximum resources per stack exceeded"):
        count.add(1)
    TreeCount(StackLimits(max_resources_per_stack=10), at_least=20).add(20)


def test_without_a_limit_looking_ends_all_the_same() -> None:
    count = TreeCount(StackLimits(max_resources_per_stack=-1))
    count.add(MOST_LOOKED_AT)
    with pytest.raises(RequestLimitExceeded):
        count.add(1)
