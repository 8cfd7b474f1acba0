"""Chains whose links share transactions: as few as there can be, and nothing else is different."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest
import trio
from site_of_tests import CONTEXT, OTHER, AllAlive, Faults, Running, Site, an_engine
from sqlalchemy import Connection
from trio.testing import MockClock

from heat_core.convergence import Node
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Fault, FaultPoint, Killed, counting, resources, stacks
from heat_io.database.lanes import LanesClosed
from heat_io.drivers import NoStoredCredentials
from heat_io.drivers.foresight import LINKS

ACTING = replace(CONTEXT, auth_token="a token", roles=("member",))
RANDOM = {"type": "OS::Heat::RandomString"}
LENGTH = 12
"""more than there are links in one transaction"""


def chain(length: int = LENGTH, *, reads: bool = False) -> dict[str, Any]:
    """Each requires the one before; with `reads` each is salted with the text of that one."""
    return {f"r{number:02}": _link(number, reads) for number in range(length)}


def _link(number: int, reads: bool) -> Mapping[str, Any]:
    if not number:
        return RANDOM
    before = f"r{number - 1:02}"
    if reads:
        return {**RANDOM, "properties": {"salt": {"get_attr": [before, "value"]}}}
    return {**RANDOM, "depends_on": before}


@dataclass
class Commits:
    """How many transactions there were."""

    number: int = 0

    def __call__(self) -> None:
        self.number += 1


async def operate(running: Running, stack: StackRecord, action: Action, **more: Any) -> StackRecord:
    await running.engine.operations.begin(ACTING, stack.id, action, **more)
    return await running.ended(stack)


def told(site: Site, stack: StackRecord) -> list[tuple[Any, ...]]:
    """The stack's events in order."""
    return [
        (event.resource_name, event.resource_action, event.resource_status)
        for event in site.events(stack)
    ]


async def all_of_it(site: Site, running: Running, resources: Mapping[str, Any]) -> StackRecord:
    """Create, update without a change and delete, each of which ends well."""
    stack = site.stack(resources, action=Action.CREATE)
    created = await operate(running, stack, Action.CREATE)
    assert (created.status, created.status_reason) == (
        Status.COMPLETE,
        "Stack CREATE completed successfully",
    )
    updated = await operate(running, stack, Action.UPDATE, template_id=site.template(resources))
    assert updated.status is Status.COMPLETE
    for row in site.rows(stack):
        assert row.current_template_id == updated.raw_template_id
    deleted = await operate(running, stack, Action.DELETE)
    assert deleted.status is Status.COMPLETE
    return deleted


# --- how many transactions -------------------------------------------------------------------


async def test_the_outcome_of_a_link_and_the_claim_of_the_next_are_one_transaction(
    site: Site, autojump_clock: MockClock
) -> None:
    commits = Commits()
    async with an_engine(site, watch=commits, resume=True) as running:
        stack = site.stack(chain(), action=Action.CREATE)
        await operate(running, stack, Action.CREATE)
        created, commits.number = commits.number, 0
        await operate(running, stack, Action.DELETE)
    # A few are of the whole stack, of its first link, and of those that were not read in advance.
    # A create also stores the id of what it made.
    assert created <= 2 * LENGTH + 8
    assert commits.number <= LENGTH + 8


async def test_many_links_of_an_update_without_a_change_share_one(
    site: Site, autojump_clock: MockClock
) -> None:
    commits = Commits()
    async with an_engine(site, watch=commits, resume=True) as running:
        stack = site.stack(chain(), action=Action.CREATE)
        await operate(running, stack, Action.CREATE)
        commits.number = 0
        await operate(running, stack, Action.UPDATE, template_id=site.template(chain()))
    # An update and a clean-up of each.
    assert commits.number <= 2 * LENGTH / LINKS + 8


async def test_many_reports_of_one_visit_go_on_sharing_statements(
    site: Site, autojump_clock: MockClock
) -> None:
    width = 40
    fan_in: dict[str, Any] = {f"r{number:02}": RANDOM for number in range(width)}
    fan_in["centre"] = {**RANDOM, "depends_on": list(fan_in)}
    async with an_engine(site, resume=True) as running:
        stack = site.stack(fan_in, action=Action.CREATE)
        await operate(running, stack, Action.CREATE)
        with counting(running.database.executor.engines) as counter:
            updated = {"template_id": site.template(fan_in)}
            await operate(running, stack, Action.UPDATE, **updated)
            await operate(running, stack, Action.DELETE)
    # The centre's clean-up reports to each of the others, in the update and in the delete.
    # Each of the others also reports twice or so by itself.
    assert counter.by_verb["UPDATE sync_point"] < 3 * width


# --- nothing else is different ---------------------------------------------------------------


@pytest.mark.parametrize("reads", [False, True])
async def test_what_happens_is_told_in_the_same_order(
    site: Site, autojump_clock: MockClock, reads: bool
) -> None:
    async with an_engine(site, resume=True) as running:
        together = told(site, await all_of_it(site, running, chain(reads=reads)))
    async with an_engine(site, engine_id=OTHER, may_begin=lambda: False) as running:
        alone = told(site, await all_of_it(site, running, chain(reads=reads)))
    assert [event for event in together if event[0] != "st"] == [
        event for event in alone if event[0] != "st"
    ]
    creates = [event for event in together if event[0] == "r01"][:2]
    assert creates == [("r01", "CREATE", "IN_PROGRESS"), ("r01", "CREATE", "COMPLETE")]


async def test_a_link_sees_what_the_one_before_it_has_made(
    site: Site, autojump_clock: MockClock
) -> None:
    async with an_engine(site, resume=True) as running:
        stack = site.stack(chain(reads=True), action=Action.CREATE)
        await operate(running, stack, Action.CREATE)
    by_name = {row.name: row for row in site.rows(stack)}
    for number in range(1, LENGTH):
        before, row = by_name[f"r{number - 1:02}"], by_name[f"r{number:02}"]
        assert row.properties == {"salt": before.data["value"]}
        assert row.requires == (before.id,)
        assert row.physical_id is not None


async def test_a_failure_in_the_middle_stops_the_chain(
    site: Site, autojump_clock: MockClock
) -> None:
    links = chain()
    links["r03"] = {**links["r03"], "properties": {"length": 0}}
    async with an_engine(site, resume=True) as running:
        stack = site.stack(links, action=Action.CREATE)
        ended = await operate(running, stack, Action.CREATE)
    assert ended.status is Status.FAILED
    assert "r03" in (ended.status_reason or "")
    states = sorted((row.name, row.action, row.status) for row in site.rows(stack))
    assert states[2:5] == [
        ("r02", Action.CREATE, Status.COMPLETE),
        ("r03", Action.CREATE, Status.FAILED),
        ("r04", Action.INIT, Status.COMPLETE),
    ]


class Prepared(NoStoredCredentials):
    """What is asked of the credentials, in order."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def prepare_removal(self, stack: StackRecord) -> None:
        await trio.lowlevel.checkpoint()
        self.asked.append("prepare")

    async def remove(self, stack: StackRecord) -> None:
        await trio.lowlevel.checkpoint()
        self.asked.append("remove")


async def test_the_end_of_a_delete_is_prepared_once(site: Site, autojump_clock: MockClock) -> None:
    credentials = Prepared()
    async with an_engine(site, credentials=credentials, resume=True) as running:
        await all_of_it(site, running, chain())
    assert credentials.asked == ["prepare", "remove"]


# --- what comes in between -------------------------------------------------------------------


class Intruder:
    """Does something to the database once, in the transaction that is number so and so."""

    def __init__(self, site: Site, number: int, act: Callable[[Connection], None]) -> None:
        self._site = site
        self._numbers = count()
        self._at = number
        self._act = act

    def __call__(self, point: FaultPoint, begin: bool) -> Fault | None:
        if point is FaultPoint.BEFORE_UNIT and begin and next(self._numbers) == self._at:
            self._site.write(self._act)
        return None


@pytest.mark.parametrize("number", range(4, 9))
async def test_a_row_that_another_engine_has_taken_is_not_taken(
    site: Site, autojump_clock: MockClock, number: int
) -> None:
    stack = site.stack(chain(), action=Action.CREATE)

    def take(connection: Connection) -> None:
        for row in resources.fetch_by_stack(connection, stack.id):
            if row.name == "r06":
                resources.update(connection, row.id, {"engine_id": OTHER, "atomic_key": 1})

    intruder: Any = Intruder(site, number, take)
    async with an_engine(site, liveness=AllAlive(), faults=intruder, resume=True) as running:
        await running.engine.operations.begin(ACTING, stack.id, Action.CREATE)
        await _quiet(running)
        assert running.engine.nodes.busy == 0
    by_name = {row.name: row for row in site.rows(stack)}
    assert (by_name["r06"].engine_id, by_name["r06"].action) == (OTHER, Action.INIT)
    assert by_name["r05"].status is Status.COMPLETE
    assert by_name["r05"].action is Action.CREATE
    assert by_name["r07"].action is Action.INIT
    # Who has it finds that it is its turn.
    here, before = Node(by_name["r06"].id, True), Node(by_name["r05"].id, True)
    assert list(site.entries(site.stored_stack(stack), here)) == [before.key]


@pytest.mark.parametrize(
    ("action", "number"),
    [
        *(
            (action, number)
            for action in (Action.CREATE, Action.DELETE)
            for number in range(4, 14, 2)
        ),
        *((Action.UPDATE, number) for number in range(2, 7)),
    ],
)
async def test_nothing_is_done_for_a_traversal_that_is_not_current(
    site: Site, autojump_clock: MockClock, action: Action, number: int
) -> None:
    stack = site.stack(chain(), action=Action.CREATE)
    if action is not Action.CREATE:
        async with an_engine(site, resume=True) as running:
            await operate(running, stack, Action.CREATE)
    then: dict[str, ResourceRecord] = {}

    def supersede(connection: Connection) -> None:
        stacks.update(connection, stack.id, {"current_traversal": "another"})
        rows = resources.fetch_by_stack(connection, stack.id)
        then.update({row.name: row for row in rows})

    intruder: Any = Intruder(site, number, supersede)
    more = {"template_id": site.template(chain())} if action is Action.UPDATE else {}
    async with an_engine(site, liveness=AllAlive(), faults=intruder, resume=True) as running:
        await running.engine.operations.begin(ACTING, stack.id, action, **more)
        await _quiet(running)
    assert then, "nobody came in between"
    for row in site.rows(stack):
        assert row.engine_id is None
        # Who was at it ends it.
        if then[row.name].engine_id is None:
            assert row.atomic_key == then[row.name].atomic_key


async def _quiet(running: Running) -> None:
    with trio.fail_after(60):
        await trio.sleep(1)
        while running.engine.busy:  # noqa: ASYNC110 - it has no event for that
            await trio.sleep(0.1)


# --- commits that get lost -------------------------------------------------------------------


def _numbers() -> Iterator[tuple[int, Fault]]:
    for number in range(3, 30, 4):
        yield number, Fault.LOST
        yield number, Fault.LOST_AFTER_COMMIT
        yield number, Fault.CONFLICT


@pytest.mark.parametrize(("number", "fault"), list(_numbers()))
async def test_a_commit_that_gets_lost_changes_nothing(
    site: Site, autojump_clock: MockClock, number: int, fault: Fault
) -> None:
    faults = Faults()
    faults.at_commit_number(number, fault)
    async with an_engine(site, faults=faults, resume=True) as running:
        deleted = await all_of_it(site, running, chain())
    names = [event[0] for event in told(site, deleted) if event[1:] == ("CREATE", "COMPLETE")]
    assert sorted(set(names)) == sorted([*chain(), "st"])
    assert len(names) == len(set(names)), "nothing is told twice"


class Death:
    """The end of an engine, before or after a commit."""

    def __init__(self, number: int, fault: Fault) -> None:
        self._commits = count()
        self._number = number
        self._fault = fault
        self.has_come = False

    def __call__(self, point: FaultPoint, begin: bool) -> Fault | None:
        if self.has_come:
            return Fault.KILL
        if point is FaultPoint.AT_COMMIT and next(self._commits) == self._number:
            self.has_come = True
            return self._fault
        return None


@pytest.mark.parametrize("fault", [Fault.KILL, Fault.KILL_AFTER_COMMIT])
@pytest.mark.parametrize(
    ("action", "number"),
    [
        *(
            (action, number)
            for action in (Action.CREATE, Action.DELETE)
            for number in range(2, 14, 3)
        ),
        *((Action.UPDATE, number) for number in range(2, 7)),
    ],
)
async def test_another_engine_goes_on_where_one_has_died(
    site: Site, autojump_clock: MockClock, action: Action, number: int, fault: Fault
) -> None:
    stack = site.stack(chain(), action=Action.CREATE)
    if action is not Action.CREATE:
        async with an_engine(site, resume=True) as running:
            await operate(running, stack, Action.CREATE)
    more = {"template_id": site.template(chain())} if action is Action.UPDATE else {}
    death: Any = Death(number, fault)
    try:
        async with an_engine(site, faults=death, resume=True) as running:
            await running.engine.operations.begin(ACTING, stack.id, action, **more)
            await trio.sleep(60)
    except* (Killed, LanesClosed):
        pass
    assert death.has_come, "the engine lives"
    async with an_engine(site, engine_id=OTHER, resume=True) as running:
        ended = await running.ended(stack)
    assert (ended.action, ended.status) == (action, Status.COMPLETE)
    for row in site.rows(stack):
        assert (row.engine_id, row.status) == (None, Status.COMPLETE)
        assert row.current_template_id == ended.raw_template_id
    assert not (action is Action.DELETE and site.rows(stack))
