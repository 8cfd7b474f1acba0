"""The time that the jobs of one evaluation share."""

import math

from heat_io.sandbox.budget import budget, remaining_seconds, spend


def test_without_one_there_is_no_end() -> None:
    spend(1000)
    assert remaining_seconds() == math.inf


def test_it_is_used_up() -> None:
    with budget(2.0):
        spend(1.5)
        assert remaining_seconds() == 0.5
        with budget(100.0):
            spend(1.0)
            assert remaining_seconds() == -0.5
    assert remaining_seconds() == math.inf
