"""Whole stacks through Heat's API, on Heat's engines and on ours: seconds, and how often faster.

    python -m bench.stacks                                  # all of it, up to an hour
    python -m bench.stacks --quick                          # three shapes that need minutes
    python -m bench.stacks --shapes flat-100,chain-50 --operations create,delete
    python -m bench.stacks --only heat-trio                 # without Heat, so without ratios

Each shape is created, updated without a change and deleted, by Heat's API and two of its engines
(without the pause of a second that they make after each leaf) and then by our `heat-api` and two
`heat-engine`: the same Keystone, MariaDB and RabbitMQ, a fresh database for each, the same
templates. A measure goes from the request to the stack's COMPLETE in the database, which is looked
for every 20 ms; beside it stands what the engines took of a processor. An operation that has not
ended when the patience is over is told as that, and is no number.

Exit code 0: every floor was met; 1: one was not; nothing is run, and so said, where the facts'
reference, MariaDB or RabbitMQ is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bench import fan_in
from bench._fleet import Api, NotRun, Whose, find_reference, fleet_of

OPERATIONS = ("create", "unchanged", "delete")
LOOK_SECONDS = 0.02
SETTLED_SECONDS = 60.0
PATIENCE_SECONDS = 600.0


def group(size: int) -> dict[str, Any]:
    """A nested stack of that many members."""
    member = {"type": "OS::Heat::RandomString"}
    properties = {"count": size, "resource_def": member}
    resource = {"type": "OS::Heat::ResourceGroup", "properties": properties}
    return {"heat_template_version": "2018-08-31", "resources": {"group": resource}}


@dataclass(frozen=True, slots=True)
class Shape:
    """A template, and how much faster than Heat each operation has to be."""

    template: dict[str, Any]
    floors: Mapping[str, float]


ALL_OF_THEM = {"create": 10.0, "unchanged": 20.0, "delete": 10.0}
SHAPES: Mapping[str, Shape] = {
    "flat-100": Shape(fan_in.flat(100), ALL_OF_THEM),
    "flat-300": Shape(fan_in.flat(300), ALL_OF_THEM),
    "fan-in-100": Shape(fan_in.fan_in(100), ALL_OF_THEM),
    "fan-in-500": Shape(fan_in.fan_in(500), dict.fromkeys(OPERATIONS, 20.0)),
    "chain-50": Shape(fan_in.chain(50), dict.fromkeys(OPERATIONS, 5.0)),
    "group-100": Shape(group(100), {"create": 10.0, "delete": 10.0}),
}
QUICK = ("flat-100", "fan-in-100", "chain-50")


@dataclass(frozen=True, slots=True)
class Took:
    """How long an operation took; `state` is what the stack then was."""

    seconds: float
    processor_seconds: float
    state: str

    @property
    def ended_well(self) -> bool:
        return self.state.endswith("_COMPLETE")

    def __str__(self) -> str:
        if self.ended_well:
            return f"{self.seconds:8.2f} s ({self.processor_seconds:6.2f} s of a processor)"
        return f"{self.state} after {self.seconds:.0f} s"


# --- one shape on one fleet --------------------------------------------------------------------


@dataclass(slots=True)
class Bench:
    """A fleet under measurement."""

    api: Api
    database: AsyncEngine
    processor_seconds: Callable[[], float]
    patience_seconds: float

    async def measure(self, name: str, shape: Shape) -> dict[str, Took]:
        """Create, update, delete; ends with the first that does not end well."""
        stack_id = ""

        async def create() -> None:
            nonlocal stack_id
            stack_id = await asyncio.to_thread(self.api.create, name, shape.template)

        async def update() -> None:
            await asyncio.to_thread(self.api.update, name, stack_id, shape.template)

        async def delete() -> None:
            await asyncio.to_thread(self.api.delete, name, stack_id)

        steps: dict[str, tuple[str, Callable[[], Awaitable[None]]]] = {
            "create": ("CREATE", create),
            "unchanged": ("UPDATE", update),
            "delete": ("DELETE", delete),
        }
        found: dict[str, Took] = {}
        for operation, (action, step) in steps.items():
            used, began = self.processor_seconds(), time.monotonic()
            await step()
            state = await self._ended(stack_id, action, began)
            seconds = time.monotonic() - began
            found[operation] = Took(seconds, self.processor_seconds() - used, state)
            if not found[operation].ended_well:
                break
            await self._settled(stack_id)
        return found

    async def _ended(self, stack_id: str, action: str, began: float) -> str:
        """The stack's state once `action` is over, or when the patience is."""
        query = text("SELECT action, status FROM stack WHERE id = :id")
        state = ""
        while time.monotonic() - began < self.patience_seconds:
            rows = await self._select(query, stack_id)
            state = f"{rows[0][0]}_{rows[0][1]}"
            if rows[0][0] == action and rows[0][1] != "IN_PROGRESS":
                break
            await asyncio.sleep(LOOK_SECONDS)
        return state

    async def _settled(self, stack_id: str) -> None:
        """Wait for what comes after COMPLETE, such as the purge: the next measure is not of it."""
        query = text("SELECT COUNT(*) FROM sync_point WHERE stack_id = :id")
        until = time.monotonic() + SETTLED_SECONDS
        while time.monotonic() < until:
            await asyncio.sleep(0.1)
            if not (await self._select(query, stack_id))[0][0]:
                break
        await asyncio.sleep(0.5)

    async def _select(self, query: Any, stack_id: str) -> Sequence[Any]:
        async with self.database.connect() as connection:
            return (await connection.execute(query, {"id": stack_id})).all()


async def _measure(bench: Bench, name: str, shape: Shape, rounds: int) -> dict[str, Took]:
    """The best of the rounds, after small stacks that pay for imports and caches."""
    try:
        for number in range(3):
            await bench.measure(f"warm-up-{number}", Shape(fan_in.flat(8), {}))
        best: dict[str, Took] = {}
        for number in range(rounds):
            for operation, took in (await bench.measure(f"{name}-{number}", shape)).items():
                other = best.get(operation)
                if other is None or (took.ended_well, -took.seconds) > (
                    other.ended_well,
                    -other.seconds,
                ):
                    best[operation] = took
        return best
    finally:
        await bench.database.dispose()


def measure(
    whose: Whose, reference: Path, name: str, rounds: int, patience_seconds: float
) -> dict[str, Took]:
    """What each operation took on a fresh fleet; those after one that failed are missing."""
    with (
        tempfile.TemporaryDirectory() as folder,
        fleet_of(whose, reference, Path(folder)) as fleet,
    ):
        database = create_async_engine(fleet.database_url(), isolation_level="AUTOCOMMIT")
        bench = Bench(Api(fleet), database, fleet.processor_seconds, patience_seconds)
        return asyncio.run(_measure(bench, name, SHAPES[name], rounds))


# --- all of them -------------------------------------------------------------------------------


def report(
    name: str, operations: Sequence[str], found: Mapping[Whose, Mapping[str, Took]]
) -> tuple[int, int]:
    """Print a shape; how many floors were met, and how many not."""
    met = missed = 0
    for operation in operations:
        both = {whose: took[operation] for whose, took in found.items() if operation in took}
        for whose in found:
            print(f"{name:10} {operation:9} {whose:9} {both.get(whose, '        - not reached')}")
        ours, theirs = both.get("heat-trio"), both.get("Heat")
        floor = SHAPES[name].floors.get(operation)
        if ours is not None and not ours.ended_well:
            missed += 1
        if ours is None or theirs is None or not ours.ended_well:
            continue
        if not theirs.ended_well:
            print(f"{name:10} {operation:9} ratio     none: Heat did not end it well", flush=True)
            continue
        ratio = theirs.seconds / ours.seconds
        verdict = ""
        if floor is not None:
            meets = ratio >= floor
            met, missed = met + meets, missed + (not meets)
            verdict = f"; floor {floor:.0f}: {'met' if meets else 'NOT met'}"
        print(f"{name:10} {operation:9} ratio     {ratio:.1f}{verdict}", flush=True)
    return met, missed


def main(argv: Sequence[str] = ()) -> int:
    """Measure and print; 1 when a floor was not met."""
    arguments = _arguments(argv)
    whose: list[Whose] = ["Heat", "heat-trio"] if arguments.only is None else [arguments.only]
    met = missed = 0
    try:
        reference = find_reference()
        for name in arguments.shapes:
            found: dict[Whose, dict[str, Took]] = {
                one: measure(one, reference, name, arguments.rounds, arguments.patience)
                for one in whose
            }
            counts = report(name, arguments.operations, found)
            met, missed = met + counts[0], missed + counts[1]
    except NotRun as missing:
        print(f"not run: {missing}")
        return 0
    print(f"floors: {met} met, {missed} not met")
    return 1 if missed else 0


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    def names(known: Sequence[str]) -> Callable[[str], list[str]]:
        def parse(value: str) -> list[str]:
            wanted = value.split(",")
            if unknown := [name for name in wanted if name not in known]:
                raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
            return wanted

        return parse

    parser = argparse.ArgumentParser(prog="python -m bench.stacks")
    parser.add_argument("--shapes", type=names(tuple(SHAPES)), default=list(SHAPES))
    parser.add_argument("--quick", action="store_const", dest="shapes", const=list(QUICK))
    parser.add_argument("--operations", type=names(OPERATIONS), default=list(OPERATIONS))
    parser.add_argument("--only", choices=("Heat", "heat-trio"))
    parser.add_argument("--rounds", type=int, default=1, help="the best of so many is told")
    parser.add_argument("--patience", type=float, default=PATIENCE_SECONDS, metavar="SECONDS")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
