"""Limits of stacks."""

import pytest

from heat_core.errors import RequestLimitExceeded
from heat_core.stack import DEFAULT_LIMITS, StackLimits


def test_depth() -> None:
    assert DEFAULT_LIMITS.check_depth(4) == 5
    with pytest.raises(RequestLimitExceeded, match="Recursion depth exceeds 5"):
        DEFAULT_LIMITS.check_depth(5)


def test_resources() -> None:
    DEFAULT_LIMITS.check_resources(1000)
    with pytest.raises(RequestLimitExceeded, match="Maximum resources per stack exceeded"):
        DEFAULT_LIMITS.check_resources(1001)
    StackLimits(max_resources_per_stack=-1).check_resources(10**9)
