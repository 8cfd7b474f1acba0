"""The simulator in the test run: fixed seeds, and fresh ones, whose first is printed."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from tests.simulation.pool import account
from tests.simulation.scenario import run

FIXED = range(1, 121)
FRESH = 40
"""seeds in a row; HEAT_TRIO_SIMULATION_SEED sets the first"""


def test_fixed_seeds_hold_and_meet_what_they_are_for() -> None:
    totals = account(FIXED)
    assert totals.broken == []
    assert totals.runs == len(FIXED)
    assert totals.superseded > len(FIXED) * 0.3
    assert totals.unlucky > len(FIXED) * 0.3
    assert totals.ends > len(FIXED) // 2, "hardly a stack was compared with its template"
    assert totals.previews > 0
    assert {"kill", "conflict", "lost_connection", "duplicate", "late"} <= totals.faults.keys()


def test_fresh_seeds_hold(
    record_property: pytest.RecordProperty, capsys: pytest.CaptureFixture[str]
) -> None:
    first = int(os.environ.get("HEAT_TRIO_SIMULATION_SEED", random.randrange(10**9)))
    record_property("seed", first)
    with capsys.disabled():
        print(f"\nsimulation: fresh seeds {first} to {first + FRESH - 1}")
    assert account(range(first, first + FRESH)).broken == []


@pytest.mark.parametrize("seed", [3, 11])
def test_a_seed_repeats_itself(seed: int) -> None:
    first, second = run(seed), run(seed)
    assert first == second


def test_a_seed_is_the_same_run_in_every_process() -> None:
    program = "from tests.simulation.scenario import run; print(run(11))"
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    }
    assert len(told) == 1
