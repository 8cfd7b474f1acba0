"""One run: users create, change and delete stacks while everything goes wrong."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from unittest import mock

import trio
import trio.testing

from heat_core.resources.keystone.project import KeystoneProject
from heat_io.drivers import traversal_driver
from tests.simulation import coverage, faults
from tests.simulation.engines import keep_alive
from tests.simulation.expectations import Ends
from tests.simulation.faults import Counts
from tests.simulation.invariants import Violated
from tests.simulation.ledger import StackRow
from tests.simulation.plots import PLOTS, Tale
from tests.simulation.user import User
from tests.simulation.world import World

SETTLE_SECONDS = 4_000
LOOK_AGAIN_SECONDS = 0.5
"""how often a delete looks whether workers have stopped: each look costs a read"""
_NAMES = list(PLOTS)
_WEIGHTS = [weight for _, weight in PLOTS.values()]


@dataclass(frozen=True)
class Result:
    """What a run did, for the printed table and for the test that a seed repeats itself."""

    seed: int
    counts: Counts
    final: tuple[str, ...]
    virtual_seconds: float
    hits: Counter[str] = field(default_factory=Counter)


def run(seed: int, plot: str | None = None) -> Result:
    """Run one seed to its end; Violated, with the seed, when something does not hold.

    With `plot` the users do nothing else; the same seed is another run then.
    """
    runner = trio._core._run
    runner._ALLOW_DETERMINISTIC_SCHEDULING = True
    runner._r.seed(seed)
    hits: Counter[str] = Counter()
    try:
        watch = coverage.Watch(hits)
        with (
            coverage.counting(watch),
            mock.patch.object(traversal_driver, "LOOK_AGAIN_SECONDS", LOOK_AGAIN_SECONDS),
        ):
            return trio.run(_scenario, seed, plot, watch, clock=trio.testing.MockClock(0, 0))
    except BaseException as error:
        error.add_note(f"simulation seed {seed}")
        raise


async def _scenario(seed: int, plot: str | None, watch: coverage.Watch) -> Result:
    rng = random.Random(seed)
    drawn = faults.drawn(rng)
    world = World(seed, drawn, takes_over=rng.random() > 0.1, can_find=rng.random() > 0.08)
    watch.complain = lambda text: world.give_up(Violated(text))
    engines = rng.choice([1, 1, 2])
    world.alone = engines == 1
    final: list[str] = []
    finds = mock.patch.object(KeystoneProject, "can_find", world.can_find)
    with finds:
        await _play(world, engines, plot, rng, final)
    return Result(seed, world.counts, tuple(final), trio.current_time(), watch.hits)


async def _play(
    world: World, engines: int, plot: str | None, rng: random.Random, final: list[str]
) -> None:
    async with world.open(), trio.open_nursery() as nursery:
        for _ in range(engines):
            await nursery.start(keep_alive, world)
        # Engines sweep when they start; a request that comes before is another story.
        await trio.sleep(0.001)
        users = [
            User(
                world,
                f"s{index}",
                disable_rollback=rng.random() < 0.4,
                timeout_minutes=1 if rng.random() < 0.05 else None,
            )
            for index in range(2 if rng.random() < 0.06 else 1)
        ]
        async with trio.open_nursery() as lives:
            for user in users:
                lives.start_soon(_life, world, user, plot, random.Random(rng.random()), final)
        await _all_settled(world)
        Ends(world).check(users)
        world.counts.states.update(" ".join(one.split()[1:2]) or "gone" for one in final)
        for incarnation in list(world.living.values()):
            incarnation.die()
        _check_nothing_was_forgotten(world)
        nursery.cancel_scope.cancel()


async def _all_settled(world: World) -> None:
    """Nested stacks may go on for a while after the stack above them has failed."""
    with trio.move_on_after(SETTLE_SECONDS) as scope:
        await world.ledger.until(world.is_quiet)
    if scope.cancelled_caught:
        raise Violated("11: a nested stack never ended")


def _check_nothing_was_forgotten(world: World) -> None:
    """Where nothing got lost, the sweeper must have had nothing to do: each wake-up was sent."""
    if not world.fate.faults.may_lose and world.counts.resumed:
        raise Violated(f"11: the sweeper had to help {world.counts.resumed} times without a fault")


async def _life(
    world: World, user: User, plot: str | None, rng: random.Random, final: list[str]
) -> None:
    """One plot, then maybe the end of the stack."""
    name = plot or rng.choices(_NAMES, _WEIGHTS)[0]
    levels = rng.choice([1, 1, 2, 3]) if rng.random() < 0.06 else 0
    world.counts.plots[name + (" (nested)" if levels else "")] += 1
    tale = Tale(world, user, rng, levels)
    await PLOTS[name][0](tale)
    if rng.random() < 0.15 and user.row is not None:
        await tale.pause()
        await user.delete()
    if rng.random() < 0.5:
        await user.settled()
    else:
        await trio.sleep(rng.random() * 5)
    world.fate.quiet = True
    final.append(_shown(user, await user.settled()))


def _shown(user: User, row: StackRow | None) -> str:
    if row is None:
        return f"{user.name} gone"
    return f"{user.name} {row.action}_{row.status} {row.status_reason}"
