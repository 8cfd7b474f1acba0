"""Doing what a stack is owed, by the machines of a running engine."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import trio

from heat_app.doctor.examination import Examination, Judge, by_signs, examine
from heat_core.stack import StackId
from heat_io.database import Database
from heat_io.database.ambient import utc_now
from heat_io.drivers import Engine

LOOK_AGAIN_SECONDS = 0.25
ALONE = by_signs(timedelta(seconds=60))
"""for a database on which this process is the only one: what an engine of the past holds is owed"""


async def repair(
    engine: Engine,
    database: Database,
    stack_id: StackId,
    say: Callable[[str], None],
    *,
    judge: Judge = ALONE,
) -> Examination:
    """Give the stack and those nested in it what they are owed until nothing is under way.

    `say` gets a line for everything that is done. Returns how the tree ends up; one that cannot
    be helped (Examination.is_well false) is left as it is.
    """
    said: dict[str, str] = {}
    while True:
        given = 0
        before = await examine(database, stack_id, judge=judge, now=utc_now())
        for diagnosis in before.diagnoses:
            stack = diagnosis.stack
            for item in await engine.sweeper.attend(stack.id):
                say(f"{stack.name}: seen to: {diagnosis.told(item)}")
                given += 1
        await trio.sleep(LOOK_AGAIN_SECONDS)
        found = await examine(database, stack_id, judge=judge, now=utc_now())
        for diagnosis in found.diagnoses:
            state = f"{diagnosis.stack.action}_{diagnosis.stack.status}"
            if said.get(diagnosis.stack.id) != state:
                said[diagnosis.stack.id] = state
                say(f"{diagnosis.stack.name}: {state}")
        if not given and not engine.nodes.busy and _ended(engine, found):
            return found


def _ended(engine: Engine, found: Examination) -> bool:
    """Whether the tree rests, or what is left of it will not move by itself."""
    busy = any(engine.traversals.busy_with(one.stack.id) for one in found.diagnoses)
    moving = any(one.is_under_way and not one.is_left_alone for one in found.diagnoses)
    return not busy and not moving
