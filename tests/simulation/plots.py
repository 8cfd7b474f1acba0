"""What users do: the stories that the runs tell, each with random templates.

Every plot has a nested version: its template then is that of a nested stack, up to three levels
below the user's.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import trio

from tests.simulation import previews
from tests.simulation.generated import Author, Document, size, without, wrapped
from tests.simulation.ledger import ResourceRow
from tests.simulation.user import User
from tests.simulation.world import World

type Plot = Callable[[Tale], Awaitable[None]]

LONG_SECONDS = 300
"""longer than a minute by more than a clock is ever set back"""
READING_SECONDS = 0.001


class Tale:
    """One user's story: what the plots are made of."""

    def __init__(self, world: World, user: User, rng: random.Random, levels: int) -> None:
        self.world = world
        self.user = user
        self.rng = rng
        self.author = Author(rng)
        self.levels = levels

    async def create(self, document: Document) -> None:
        document = wrapped(document, self.levels)
        self.world.counts.nodes = self.world.counts.nodes or size(document)
        await self.user.create(document)

    async def update(self, document: Document) -> None:
        """Maybe with a preview before it, if nothing is going on: then nothing follows, either."""
        document = wrapped(document, self.levels)
        row = self.user.row
        at_rest = row is not None and not self.world.invariants.unfinished(row.id)
        if row is None or not at_rest or row.action == "DELETE" or self.rng.random() < 0.7:
            await self.user.update(document)
            return
        foretold = await previews.foretell(self.world, self.user, document)
        # Nobody reads a preview in no time; and of a row that is updated twice at the same time
        # nobody could tell that it was.
        await trio.sleep(READING_SECONDS)
        await self.user.update(document)
        if foretold is not None and self.user.traversal != foretold.traversal:
            traversal = self.user.traversal
            await self.user.settled()
            previews.compare(self.world, self.user, foretold, traversal)

    async def pause(self) -> None:
        """Wait for the end, or go on in the middle of it."""
        if self.rng.random() < 0.5:
            await self.user.settled()
        else:
            await trio.sleep(self.rng.random() * self.rng.choice([1, 3, 8]))

    async def row(self, is_so: Callable[[ResourceRow], bool], seconds: float = 60) -> None:
        """Wait until a row is like that, or until nothing goes on any more."""
        ledger = self.world.ledger

        def holds() -> bool:
            quiet = self.world.is_quiet()
            return quiet or any(is_so(row) for row in ledger.resources.values())

        with trio.move_on_after(seconds):
            await ledger.until(holds)

    async def stack(self, *actions: str, seconds: float = 60) -> None:
        """Wait until the user's stack is in the middle of one of these, or has ended."""

        def holds() -> bool:
            row = self.user.row
            return row is None or not row.in_progress or row.action in actions

        with trio.move_on_after(seconds):
            await self.world.ledger.until(holds)

    def some(self, document: Document, most: int = 2) -> list[str]:
        names = list(document["resources"])
        return self.rng.sample(names, min(len(names), self.rng.randint(1, most)))


async def edits(tale: Tale) -> None:
    """Updates, some before the last one ended, some that fail."""
    rng, author = tale.rng, tale.author
    document = author.template()
    await tale.create(document)
    for _ in range(rng.choice([1, 1, 1, 2])):
        await tale.pause()
        document = author.changed(document)
        await tale.update(author.spoiled(document) if rng.random() < 0.25 else document)


async def update_replace_rollback(tale: Tale) -> None:
    """A replacement is under way or done when another resource fails."""
    document = tale.author.template()
    await tale.create(document)
    await tale.user.settled()
    wanted = tale.author.replacing(document, tale.some(document, 3))
    await tale.update(tale.author.spoiled(wanted, "fail"))


async def update_during_rollback(tale: Tale) -> None:
    await update_replace_rollback(tale)
    document = tale.author.template()
    await tale.stack("ROLLBACK")
    await trio.sleep(tale.rng.random() * 3)
    await tale.update(document)


async def delete_during_create(tale: Tale) -> None:
    await tale.create(tale.author.template())
    await trio.sleep(tale.rng.random() * 4)
    await tale.user.delete()


async def delete_during_update(tale: Tale) -> None:
    document = tale.author.template()
    await tale.create(document)
    await tale.user.settled()
    await tale.update(tale.author.replacing(document, tale.some(document)))
    await trio.sleep(tale.rng.random() * 4)
    await tale.user.delete()


async def replaced_root(tale: Tale) -> None:
    """What everything needs is replaced, or what needs everything; maybe twice."""
    document = tale.author.template()
    await tale.create(document)
    for _ in range(tale.rng.choice([1, 2])):
        await tale.pause()
        names = list(document["resources"])
        document = tale.author.replacing(document, [tale.rng.choice([names[0], names[-1]])])
        await tale.update(document)


async def re_add(tale: Tale) -> None:
    """A resource comes back while it is being deleted."""
    document = tale.author.template()
    name = tale.rng.choice(list(document["resources"]))
    slow = dict(document["resources"])
    slow[name] = {
        "type": "OS::Heat::TestResource",
        "properties": {"value": "slow", "action_wait_secs": {"delete": tale.rng.choice([2, 12])}},
    }
    document = {**document, "resources": slow}
    await tale.create(document)
    await tale.user.settled()
    await tale.update(without(document, name))
    await tale.row(lambda row: row.name == name and row.state == ("DELETE", "IN_PROGRESS"))
    await tale.update(document if tale.rng.random() < 0.5 else tale.author.changed(document))


async def cancel(tale: Tale) -> None:
    """An update is cut off, with or without going back."""
    document = tale.author.template()
    await tale.create(document)
    await tale.user.settled()
    document = tale.author.changed(tale.author.replacing(document, tale.some(document)))
    await tale.update(document)
    await trio.sleep(tale.rng.random() * 4)
    await tale.user.cancel(rollback=tale.rng.random() < 0.5)
    if tale.rng.random() < 0.5:
        await tale.pause()
        await tale.update(tale.author.changed(document))


async def failed_replacement(tale: Tale) -> None:
    """The replacement fails; then the old template again."""
    document = tale.author.template()
    name = tale.rng.choice(list(document["resources"]))
    await tale.create(document)
    await tale.user.settled()
    failing = dict(document["resources"])
    failing[name] = {
        "type": "OS::Heat::TestResource",
        "properties": {"fail": True, "update_replace_value": "new"},
        **{key: failing[name][key] for key in ("depends_on",) if key in failing[name]},
    }
    await tale.update({**document, "resources": failing, "fails": "yes"})
    await tale.pause()
    await tale.update(document)


async def timeout(tale: Tale) -> None:
    """A resource takes longer than the operation may; maybe another update comes after it."""
    document = tale.author.template()
    late = tale.rng.random() < 0.5
    slow = dict(document["resources"])
    slow["late"] = {
        "type": "OS::Heat::TestResource",
        "properties": {"value": "late", "action_wait_secs": {"create": LONG_SECONDS}},
    }
    slow_document = {**document, "resources": slow, "fails": "yes"}
    tale.user.timeout_minutes = 1
    await tale.create(document if late else slow_document)
    await tale.pause()
    if late:
        await tale.update(slow_document)
        await tale.pause()
    if tale.rng.random() < 0.5:
        await tale.update(tale.author.changed(document))


async def unhealthy(tale: Tale) -> None:
    """Somebody says that a resource is ill, or removes its object; then a check, an update."""
    document = tale.author.template()
    await tale.create(document)
    await tale.user.settled()
    for name in tale.some(document):
        tale.user.mark_unhealthy(name)
    projects = list(tale.world.cloud.projects)
    if projects and tale.rng.random() < 0.5:
        tale.world.cloud.projects.pop(tale.rng.choice(projects))
        tale.world.counts.faults["vanished"] += 1
        tale.user.marked = True
    if tale.rng.random() < 0.8:
        await tale.user.check()
        await tale.pause()
    await tale.update(document if tale.rng.random() < 0.3 else tale.author.changed(document))


async def restricted(tale: Tale) -> None:
    """The environment forbids what the template wants."""
    document = tale.author.template()
    await tale.create(document)
    await tale.user.settled()
    names = tale.some(document, 3)
    action = tale.rng.choice(["update", "replace"])
    change = tale.author.replacing if action == "replace" else _edited
    wanted = change(document, names) if action == "replace" else _edited(tale, document, names)
    await tale.update(tale.author.restricted(wanted, names, action))
    await tale.pause()
    await tale.update(wanted)


def _edited(tale: Tale, document: Document, names: list[str]) -> Document:
    resources = dict(document["resources"])
    for name in names:
        resources[name] = tale.author.edited(resources, name)
    return {**document, "resources": resources}


async def emptied(tale: Tale) -> None:
    """Down to nothing and back; or a stack that has nothing from the start."""
    document = tale.author.template()
    empty: Document = {**document, "resources": {}}
    await tale.create(empty if tale.rng.random() < 0.3 else document)
    await tale.pause()
    await tale.update(empty)
    await tale.pause()
    if tale.rng.random() < 0.5:
        await tale.update(tale.author.changed(document))


async def haste(tale: Tale) -> None:
    """Several requests at once; whichever engine is faster decides."""
    document = tale.author.template()
    await tale.create(document)
    await tale.pause()
    author, user = tale.author, tale.user
    requests = [
        lambda: user.update(wrapped(author.changed(document), tale.levels)),
        lambda: user.update(wrapped(author.changed(document), tale.levels)),
        lambda: user.cancel(rollback=False),
        lambda: user.cancel(rollback=True),
        user.delete,
        user.delete,
    ]
    async with trio.open_nursery() as nursery:
        for request in tale.rng.sample(requests, 3):
            nursery.start_soon(request)
    await trio.sleep(tale.rng.random())


async def check_of_a_failed_create(tale: Tale) -> None:
    """Some resources were never made when the check comes."""
    document = tale.author.spoiled(tale.author.template(), "fail")
    needy = dict(document["resources"])
    for name in tale.some(document, 3):
        if name != "bad" and name not in repr(needy["bad"]):
            needy[name] = tale.author.resource(["bad"], needy, "random")
            needy[f"{name}x"] = tale.author.resource([name], needy)
    if tale.rng.random() < 0.7:
        # The failure comes while the first of these is made, so that the others never are; what
        # reads the second one needs its values all the same.
        needy["slow"] = {"type": "OS::Heat::TestResource", "properties": {"wait_secs": 3}}
        needy["never"] = {"type": "OS::Heat::RandomString", "depends_on": ["slow"]}
        value = {"get_attr": ["never", "value"]}
        needy["reader"] = {"type": "OS::Heat::TestResource", "properties": {"value": value}}
    tale.user.disable_rollback = True
    await tale.create({**document, "resources": needy})
    await tale.user.settled()
    await tale.user.check()
    if tale.rng.random() < 0.5:
        await tale.pause()
        await tale.update(tale.author.template())


PLOTS: dict[str, tuple[Callable[[Tale], Awaitable[Any]], int]] = {
    "edits": (edits, 30),
    "update-replace-rollback": (update_replace_rollback, 8),
    "update during rollback": (update_during_rollback, 6),
    "delete during create": (delete_during_create, 10),
    "delete during update": (delete_during_update, 6),
    "replaced root": (replaced_root, 6),
    "re-add of what is being deleted": (re_add, 6),
    "cancel": (cancel, 8),
    "failed replacement, then the old template": (failed_replacement, 6),
    "timeout": (timeout, 4),
    "unhealthy and check": (unhealthy, 7),
    "check of a failed create": (check_of_a_failed_create, 3),
    "restricted": (restricted, 3),
    "emptied": (emptied, 3),
    "haste": (haste, 5),
}
"""each with its weight"""
