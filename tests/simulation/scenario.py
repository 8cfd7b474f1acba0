"""One run: a user creates, updates and deletes stacks while everything goes wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import trio
import trio.testing

from heat_core.stack.states import Status
from tests.simulation import generated
from tests.simulation.invariants import Violated
from tests.simulation.world import Counts, Faults, User, World


@dataclass(frozen=True)
class Result:
    """What a run did, for the printed table and for the test that a seed repeats itself."""

    seed: int
    counts: Counts
    final: tuple[str, ...]
    virtual_seconds: float


def run(seed: int) -> Result:
    """Run one seed to its end; Violated, with the seed, when something does not hold."""
    runner = trio._core._run
    runner._ALLOW_DETERMINISTIC_SCHEDULING = True
    runner._r.seed(seed)
    try:
        return trio.run(_scenario, seed, clock=trio.testing.MockClock(autojump_threshold=0))
    except BaseException as error:
        error.add_note(f"simulation seed {seed}")
        raise


def faults_of(rng: random.Random) -> Faults:
    """Misfortunes of one run: a few kinds at a time, so that each gets its chance."""

    def some(limit: float) -> float:
        return rng.random() * limit if rng.random() < 0.5 else 0.0

    return Faults(
        kill=some(0.02),
        conflict=some(0.05),
        lost_connection=some(0.05),
        lost_message=some(0.05),
        duplicate=some(0.3),
        delay=some(0.5),
        refused=some(0.1),
        lost_answer=some(0.05),
    )


async def _scenario(seed: int) -> Result:
    rng = random.Random(seed)
    world = World(seed, faults_of(rng))
    final: list[str] = []
    async with world.open(), trio.open_nursery() as nursery:
        for _ in range(rng.choice([1, 1, 2])):
            await nursery.start(world.keep_engine_alive)
        users = [
            User(world, f"s{index}", disable_rollback=rng.random() < 0.5)
            for index in range(rng.choice([1, 1, 2]))
        ]
        async with trio.open_nursery() as lives:
            for user in users:
                lives.start_soon(_life, world, user, random.Random(rng.random()), final)
        await _all_settled(world)
        world.invariants.check_end()
        for incarnation in list(world.living.values()):
            incarnation.die()
        _check_nothing_was_forgotten(world)
        nursery.cancel_scope.cancel()
    return Result(seed, world.counts, tuple(final), trio.current_time())


async def _all_settled(world: World) -> None:
    """Nested stacks may go on for a while after the stack above them has failed."""
    with trio.move_on_after(3600):
        while True:
            if not world.invariants.busy():
                return
            await trio.sleep(1)


def _check_nothing_was_forgotten(world: World) -> None:
    """Where nothing got lost, the sweeper must have had nothing to do: each wake-up was sent."""
    faults = world.faults
    if faults.kill or faults.lost_message or faults.lost_connection:
        return
    if world.counts.resumed:
        raise Violated(f"the sweeper had to help {world.counts.resumed} times without any fault")


async def _life(world: World, user: User, rng: random.Random, final: list[str]) -> None:
    """Create, some updates (some before the last one ended, some that fail), then delete."""
    document = generated.template(rng)
    world.counts.nodes = world.counts.nodes or len(document["resources"])
    await user.create(document)
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        await _pause(world, user, rng)
        document = generated.changed(document, rng, fails=rng.random() < 0.2)
        await user.update(document)
        if rng.random() < 0.2:
            await trio.sleep(rng.random() * 5)
            await user.cancel(rollback=rng.random() < 0.5)
        if rng.random() < 0.2:
            await user.settled()
            await user.check()
    if rng.random() < 0.6:
        await _pause(world, user, rng)
        await user.delete()
    await trio.sleep(rng.random() * 20)
    world.quiet = world.quiet or rng.random() < 0.5
    try:
        record = await user.settled()
    except trio.TooSlowError:
        last = user.record()
        raise Violated(f"{user.name} never ended: {_shown(last)}") from None
    world.quiet = True
    final.append(_shown(record))


async def _pause(world: World, user: User, rng: random.Random) -> None:
    """Wait for the end, or supersede what is running."""
    if rng.random() < 0.5:
        await user.settled()
    else:
        await trio.sleep(rng.random() * 8)
        record = user.record()
        if record is not None and record.status is Status.IN_PROGRESS:
            world.counts.supersedes += 1


def _shown(record: Any) -> str:
    if record is None:
        return "gone"
    return f"{record.name} {record.action}_{record.status} {record.status_reason}"
