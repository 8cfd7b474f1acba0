"""Run the simulator for longer than the test run does.

    python -m tests.simulation --minutes 10       # fresh seeds until the time is up
    python -m tests.simulation --seeds 100 200    # these seeds
    python -m tests.simulation --mutants          # each named mistake must be caught

Prints what the runs went through; exit 1 when something does not hold, with the seed.
"""

from __future__ import annotations

import argparse
import logging
import random
import statistics
import sys
import time
from collections.abc import Iterable, Iterator

from tests.simulation.mutants import MUTANTS, active
from tests.simulation.scenario import Result, run

SEEDS_A_MUTANT = 60


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--minutes", type=float, help="fresh seeds for that long")
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FROM", "TO"))
    parser.add_argument("--mutants", nargs="*", metavar="NAME", help="all, or those named")
    options = parser.parse_args(arguments)
    # What a simulated crash leaves in the logs says nothing about the code.
    logging.disable(logging.CRITICAL)
    if options.mutants is not None:
        return catch(options.mutants or list(MUTANTS))
    if options.seeds:
        return explore(range(*options.seeds))
    return explore(fresh(time.monotonic() + 60 * (options.minutes or 1)))


def fresh(until: float) -> Iterator[int]:
    """Seeds until the time is up."""
    while time.monotonic() < until:
        yield random.randrange(10**9)


def explore(seeds: Iterable[int]) -> int:
    """Run seeds, print the totals; 1 when one of them broke something."""
    results: list[Result] = []
    broken: list[int] = []
    for seed in seeds:
        try:
            results.append(run(seed))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            broken.append(seed)
            print(f"seed {seed}: {_innermost(error)}", flush=True)
    print_totals(results)
    print(f"{len(results)} runs hold, {len(broken)} are broken: {broken}")
    return 1 if broken else 0


def print_totals(results: list[Result]) -> None:
    """What the runs went through, so that a run which meets nothing can be seen."""
    if not results:
        return
    count = len(results)
    counts = [result.counts for result in results]
    faulty = sum(1 for one in counts if one.kills + one.faults + one.duplicates >= 2)
    superseded = sum(1 for one in counts if one.supersedes)
    print(f"median nodes of a first template {statistics.median(one.nodes for one in counts):.0f}")
    print(f"runs with a superseded operation {100 * superseded / count:.0f} %")
    print(f"runs with two misfortunes or more {100 * faulty / count:.0f} %")
    for name in ("kills", "faults", "duplicates", "supersedes", "transactions", "resumed"):
        print(f"{name:>14} {sum(getattr(one, name) for one in counts):>9}")
    hits: dict[str, int] = {}
    for one in counts:
        for name, times in one.effects.items():
            hits[name] = hits.get(name, 0) + times
    for name in sorted(hits):
        print(f"{hits[name]:>9}  {name}")


def catch(names: list[str]) -> int:
    """Run each mutant until a seed catches it; 1 when one survives them all."""
    survivors = []
    for name in names:
        caught = None
        for seed in range(1, SEEDS_A_MUTANT + 1):
            try:
                with active(name):
                    run(seed)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                caught = seed, _innermost(error)
                break
        if caught is None:
            survivors.append(name)
            print(f"SURVIVED {name}", flush=True)
        else:
            print(f"caught   {name}: seed {caught[0]}: {caught[1]}", flush=True)
    print(f"{len(names) - len(survivors)} of {len(names)} mutants caught")
    return 1 if survivors else 0


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:160]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
