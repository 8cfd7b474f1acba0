"""An update does what its preview said (docs/beyond-heat.md says what a preview may overstate)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from heat_core.convergence.preview import Kind, Outlook, Present, Previewed, preview_update
from heat_core.procedure import ProcedureIO
from heat_core.stack.ids import TemplateId
from heat_core.stack.records import ResourceRecord
from heat_core.stack.states import Action
from heat_io.database import Killed, resources, stacks
from heat_io.drivers.children import OnlyLooks
from heat_io.drivers.procedure_driver import NoRow, ProcedureDriver, Session
from tests.simulation.invariants import Violated
from tests.simulation.ledger import ResourceRow
from tests.simulation.user import User
from tests.simulation.world import World

IO = ProcedureIO()
DISTURBING = ("kill", "refused", "lost_answer", "unreadable", "clock_jump", "cut_off", "vanished")
"""misfortunes after which an update may take another way to the same end"""
MAY_COME_TO = {
    Kind.UNCHANGED: {Kind.UNCHANGED},
    Kind.UPDATED: {Kind.UPDATED, Kind.UNCHANGED},
    Kind.REPLACED: {Kind.REPLACED, Kind.UPDATED, Kind.UNCHANGED},
    Kind.ADDED: {Kind.ADDED},
    Kind.DELETED: {Kind.DELETED},
}
"""what a preview may overstate where it reads a value that nobody knows before"""


@dataclass(frozen=True)
class Foretold:
    """A preview, and what there was when it was made."""

    outlook: Outlook
    misfortunes: int
    traversal: str | None


async def foretell(world: World, user: User, document: Mapping[str, Any]) -> Foretold | None:
    """The preview by the production's code; None where no engine can make one now."""
    incarnation = world.any_engine()
    if incarnation is None or incarnation.engine is None or user.row is None:
        return None
    engine, database = incarnation.engine, incarnation.database
    # What is refused is refused; the update then fails by itself.
    with suppress(Killed, Exception):
        template_id = TemplateId(user.store(document))
        stack = await database.read(lambda connection: stacks.fetch(connection, user.stack_id))
        rows = await database.read(
            lambda connection: resources.fetch_by_stack(
                connection, user.stack_id, with_properties=True, with_data=True
            )
        )
        wanted = await engine.definitions.for_template(stack, template_id)
        others = {
            other: await engine.definitions.for_template(stack, other)
            for other in {row.current_template_id for row in rows}
            if other not in (None, stack.raw_template_id)
        }
        read = {name: wanted.referenced_attributes(name) for name in wanted.resources}
        present = Present(
            stack=stack,
            rows=rows,
            definition=await engine.definitions.for_stack(stack),
            others=others,
            nodes=await engine.attributes.read(stack, read),
        )
        procedures = ProcedureDriver(world.cloud, world.random.randbytes)
        outlook = await procedures.run(
            preview_update(IO, present, wanted), Session(NoRow(), children=OnlyLooks(database))
        )
        return Foretold(outlook, _disturbances(world), user.traversal)
    return None


def compare(world: World, user: User, foretold: Foretold, update: str | None) -> None:
    """Raise Violated where the update, which nothing disturbed, did something else.

    `update` is the traversal that began with it.
    """
    row = user.row
    undisturbed = (
        row is not None
        and (row.action, row.status) == ("UPDATE", "COMPLETE")
        and row.current_traversal == update
        and _disturbances(world) == foretold.misfortunes
        and world.takes_over
    )
    if not undisturbed:
        return
    world.counts.previews += 1
    after = _standing(world, user)
    for one in foretold.outlook.resources:
        came = _came(one.row, after.get(one.name))
        if came not in _allowed(one):
            raise Violated(f"preview: {one.name} of {user.name} is {one.kind}, and came {came}")
    told = {one.name for one in foretold.outlook.resources}
    if not after.keys() <= told:
        raise Violated(f"preview: nothing was said of {sorted(after.keys() - told)}")


def _allowed(one: Previewed) -> set[Kind]:
    if all(change.known for change in one.properties):
        return {one.kind}
    return MAY_COME_TO[one.kind]


def _came(before: ResourceRecord | None, after: ResourceRow | None) -> Kind:
    """What became of the row that the preview was about."""
    if after is None:
        return Kind.DELETED
    if before is None or before.action is Action.INIT:
        return Kind.ADDED
    if before.id != after.id:
        return Kind.REPLACED
    updated = None if after.updated_at is None else datetime.fromisoformat(after.updated_at)
    return Kind.UNCHANGED if before.updated_at == updated else Kind.UPDATED


def _standing(world: World, user: User) -> dict[str, ResourceRow]:
    """The row that stands for each resource of the stack, which is COMPLETE."""
    stack = world.ledger.stacks[user.stack_id]
    rows = sorted(world.ledger.rows(user.stack_id).values(), key=lambda row: row.id)
    return {
        row.name: row
        for row in rows
        if not row.is_gone and not world.invariants.is_left_behind(stack, row)
    }


def _disturbances(world: World) -> int:
    return sum(world.counts.faults[name] for name in DISTURBING)
