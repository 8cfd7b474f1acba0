"""Run the simulator for longer than the test run does.

    python -m tests.simulation --minutes 10       # fresh seeds until the time is up
    python -m tests.simulation --seeds 100 200    # these seeds, the last one too
    python -m tests.simulation --mutants          # each named mistake must be caught

Prints what the runs went through; exit 1 when something does not hold, with the seed, or when a run
of five minutes or more has not met every transition and every effect.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time

from tests.simulation.plots import PLOTS
from tests.simulation.pool import Task, explore
from tests.simulation.totals import Totals

LONG_MINUTES = 5


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--minutes", type=float, help="fresh seeds for that long")
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FROM", "TO"))
    parser.add_argument("--plot", choices=PLOTS, help="the only one; seeds mean other runs then")
    parser.add_argument("--mutants", nargs="*", metavar="NAME", help="all, or those named")
    parser.add_argument(
        "--processes", type=int, default=len(os.sched_getaffinity(0)), help="one for each core"
    )
    options = parser.parse_args(arguments)
    if options.mutants is not None:
        from tests.simulation.mutants import catch

        return catch(options.mutants, options.processes)
    processes = options.processes
    last = seconds = None
    if options.seeds:
        first, last = options.seeds
    else:
        seconds = 60 * (options.minutes or 1)
        first = random.randrange(10**9)
        print(f"seeds from {first} on", flush=True)
    tasks = [
        Task(first + index, processes, last=last, seconds=seconds, plot=options.plot)
        for index in range(processes)
    ]
    return show(tasks, must_meet_all=(options.minutes or 0) >= LONG_MINUTES)


def show(tasks: list[Task], *, must_meet_all: bool) -> int:
    """Run, print the account; 1 when one of the runs broke something."""
    totals, began = Totals(), time.monotonic()
    for found in explore(tasks):
        totals.merge(found)
        for seed, text in found.broken:
            print(f"seed {seed}: {text}", flush=True)
    for line in totals.lines(time.monotonic() - began, len(tasks)):
        print(line)
    shortcomings = totals.shortcomings()
    for line in shortcomings:
        print(line)
    broken = [seed for seed, _ in totals.broken]
    print(f"{totals.runs} runs hold, {len(broken)} violations: {broken}")
    return 1 if broken or (must_meet_all and shortcomings) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
