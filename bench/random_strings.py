"""Create and delete stacks of RandomStrings on SQLite: seconds, statements and parses by size.

Heat takes 100 s to create 100 of them and 100 s to delete them, 8 s and 11 s without its pauses.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import trio

from bench._deployment import Deployment, Measured

SIZES = (50, 100, 200, 400)
LIMIT_SECONDS = 3.0
LIMIT_SIZE = 100


def template(size: int) -> dict[str, Any]:
    """A flat template of `size` RandomStrings."""
    resources = {f"r{index}": {"type": "OS::Heat::RandomString"} for index in range(size)}
    return {"heat_template_version": "2018-08-31", "resources": resources}


async def measure(folder: Path) -> dict[int, tuple[Measured, Measured]]:
    """(create, delete) by size, one stack after the other on one database."""
    found = {}
    async with Deployment.open(folder / "heat.sqlite") as deployment:
        # The first stack of a process pays for imports.
        stack_id, _ = await deployment.create("warm-up", template(2))
        await deployment.delete(stack_id)
        for size in SIZES:
            stack_id, created = await deployment.create(f"flat-{size}", template(size))
            found[size] = (created, await deployment.delete(stack_id))
    return found


def exponent(sizes: tuple[int, ...], costs: list[float]) -> float:
    """The power of the size with which the cost grows, by the first and the last size."""
    return math.log(costs[-1] / costs[0]) / math.log(sizes[-1] / sizes[0])


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        found = trio.run(measure, Path(folder))
    print(
        f"{'N':>5} {'create s':>9} {'delete s':>9} {'statements':>16} {'commits':>12} {'parses':>9}"
    )
    for size, (created, deleted) in found.items():
        print(
            f"{size:>5} {created.seconds:>9.2f} {deleted.seconds:>9.2f}"
            f" {created.statements:>8}{deleted.statements:>8}"
            f" {created.commits:>6}{deleted.commits:>6} {created.parses:>5}{deleted.parses:>4}"
        )
    for name, index in (("create", 0), ("delete", 1)):
        costs = [float(found[size][index].statements) for size in SIZES]
        print(f"statements of {name} grow with N to the power of {exponent(SIZES, costs):.2f}")
    worst = max(measured.seconds for measured in found[LIMIT_SIZE])
    print(f"N = {LIMIT_SIZE}: {worst:.2f} s at most, the limit is {LIMIT_SECONDS:.0f} s")
    return 0 if worst < LIMIT_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
