"""The simulator in the test run: fixed seeds, and a fresh one that is printed."""

from __future__ import annotations

import os
import random

import pytest

from tests.simulation.scenario import run

FIXED = tuple(range(1, 21))


@pytest.mark.parametrize("seed", FIXED)
def test_fixed_seed(seed: int) -> None:
    result = run(seed)
    assert result.final, "no stack came to an end"
    assert all(
        state == "gone" or state.split()[1].endswith(("_COMPLETE", "_FAILED"))
        for state in result.final
    )


def test_the_fixed_seeds_go_through_crashes_duplicates_and_supersedes() -> None:
    results = [run(seed) for seed in FIXED[:10]]
    assert sum(result.counts.kills for result in results) > 0
    assert sum(result.counts.duplicates for result in results) > 0
    assert sum(result.counts.supersedes for result in results) > 0
    assert sum(result.counts.faults for result in results) > 0


def test_fresh_seed(
    record_property: pytest.RecordProperty, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = int(os.environ.get("HEAT_TRIO_SIMULATION_SEED", random.randrange(10**9)))
    record_property("seed", seed)
    with capsys.disabled():
        print(f"\nsimulation: fresh seed {seed}")
    assert run(seed).final


def test_a_seed_repeats_itself() -> None:
    first, second = run(3), run(3)
    assert first == second
