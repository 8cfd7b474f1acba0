"""Whole operations, held to the states that Heat's database went through for the same ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
from recorded_states import Recorded, Tables, resource_records, scenario
from site_of_tests import (
    CONTEXT,
    MINE,
    NOW,
    OTHER,
    TRAVERSAL,
    Running,
    Site,
    a_test_resource,
    an_engine,
)
from sqlalchemy import Connection, text
from trio.testing import MockClock

from heat_core.errors import EntityNotFound, NotSupported
from heat_core.rpc import RequestContext
from heat_core.stack.announcements import is_of_stack
from heat_core.stack.ids import ResourceId, StackId, TemplateId
from heat_core.stack.records import EventRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import resources
from heat_io.drivers.ports import NobodyListens

# --- watching ----------------------------------------------------------------------------------


class Watch:
    """The states of our database, as the recorded ones are: tables by key, after each change."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.states: list[Tables] = []
        self.stack_id = StackId("")

    def _rows(self, connection: Connection, query: str) -> list[dict[str, Any]]:
        found = connection.execute(text(query), {"stack_id": self.stack_id})
        return [dict(row) for row in found.mappings()]

    def __call__(self) -> None:
        with self._site.sql.connect() as connection:
            state: Tables = {"stack": {}, "resource": {}}
            for row in self._rows(connection, "SELECT * FROM stack WHERE id = :stack_id"):
                row["has_updated_at"] = int(row["updated_at"] is not None)
                state["stack"][row["id"]] = row
            for row in self._rows(connection, "SELECT * FROM resource WHERE stack_id = :stack_id"):
                state["resource"][str(row["id"])] = row
            connection.rollback()
        if not self.states or self.states[-1] != state:
            self.states.append(state)


type Shape = tuple[Any, ...]
type History = dict[Any, list[Shape]]


def _plain(reason: str | None) -> str | None:
    """A reason without the names that differ from run to run."""
    if reason is None:
        return None
    reason = re.sub(r"<(shortid|stack)\d*>|[0-9a-f]{8}-[0-9a-f-]{27}", "*", reason)
    return re.sub(r"(st\d-\w+-)[a-z2-7]{12}", r"\1*", reason)


def histories(states: Sequence[Tables]) -> History:
    """What each row went through: the stack under "stack", resources under (name, generation).

    The last elements of a shape are ids of templates and traversals, to be matched one by one.
    """
    names: dict[int, Any] = {}
    found: History = {}
    for state in states:
        for key, row in sorted(state["resource"].items(), key=lambda item: int(item[0])):
            if int(key) not in names:
                generation = sum(name == row["name"] for name, _ in names.values())
                names[int(key)] = (row["name"], generation)
        for row in state["stack"].values():
            shape = (
                row["action"],
                row["status"],
                _plain(row["status_reason"]),
                row["deleted_at"] is not None,
                row["has_updated_at"],
                row["current_traversal"] == "",
                row["prev_raw_template_id"],
                row["raw_template_id"],
                row["current_traversal"],
            )
            _append(found, "stack", shape)
        for key, row in state["resource"].items():
            shape = (
                row["action"],
                row["status"],
                _plain(row["status_reason"]),
                row["atomic_key"],
                row["engine_id"] is not None,
                # What is made within the process gets its id with the outcome, Heat's before.
                None if _is_being_made(row) else row["nova_instance"] is not None,
                # Heat leaves ids of rows that are gone; they mean nothing.
                tuple(sorted(str(names[n]) for n in json.loads(row["requires"]) if n in names)),
                str(names.get(row["replaces"])),
                str(names.get(row["replaced_by"])),
                row["current_template_id"],
                None,
                None,
            )
            _append(found, names[int(key)], shape)
    return found


def _is_being_made(row: Mapping[str, Any]) -> bool:
    return (row["action"], row["status"]) == ("CREATE", "IN_PROGRESS")


def _append(found: History, key: Any, shape: Shape) -> None:
    shapes = found.setdefault(key, [])
    if not shapes or shapes[-1] != shape:
        shapes.append(shape)


class Ids:
    """Which of our ids stands for which of the recorded ones: one to one."""

    def __init__(self) -> None:
        self._theirs: dict[Any, Any] = {None: None}
        self._ours: dict[Any, Any] = {None: None}

    def agree(self, theirs: Sequence[Any], ours: Sequence[Any]) -> bool:
        pairs = list(zip(theirs, ours, strict=True))
        if any(
            self._theirs.get(their, our) != our or self._ours.get(our, their) != their
            for their, our in pairs
        ):
            return False
        for their, our in pairs:
            self._theirs[their], self._ours[our] = our, their
        return True


def assert_went_through(ours: History, recorded: History) -> None:
    """Each recorded row has one of ours that went through the same states, in the same order.

    Heat's were looked at every 30 ms, so ours may have more in between.
    """
    ids = Ids()
    assert set(ours) == set(recorded)
    for key in sorted(recorded, key=lambda key: (key != "stack", str(key))):
        left = iter(ours[key])
        for wanted in recorded[key]:
            found = any(
                shape[:-3] == wanted[:-3] and ids.agree(wanted[-3:], shape[-3:]) for shape in left
            )
            seen = "\n".join(map(str, ours[key]))
            assert found, f"{key} never was\n{wanted}\nafter what came before, but\n{seen}"


# --- the scenarios -----------------------------------------------------------------------------


def needs(*names: str, **properties: Any) -> dict[str, Any]:
    return {**a_test_resource(**properties), "depends_on": list(names)}


def diamond(**b: Any) -> dict[str, Any]:
    return {
        "a": a_test_resource(value="one"),
        "b": needs("a", **b),
        "c": needs("a"),
        "d": needs("b", "c"),
    }


def _is_purged(shape: Shape) -> bool:
    """A deleted stack between its purge and its removal, which are one step for us."""
    action, status, _, deleted, _, _, previous_template, *_ = shape
    return (action, status, deleted, previous_template) == ("DELETE", "COMPLETE", False, None)


class Story:
    """One stack that goes through operations, each compared with a recorded scenario."""

    def __init__(self, shared: Path, site: Site) -> None:
        self._shared = shared
        self.site = site
        self.watch = Watch(site)
        self.stack: StackRecord | None = None

    async def create(
        self, running: Running, name: str, names: Mapping[str, Any], **fields: Any
    ) -> None:
        self.stack = self.site.stack(
            names,
            name=name,
            action=Action.CREATE,
            status_reason="Stack CREATE started",
            current_traversal=TRAVERSAL,
            **fields,
        )
        await self.operate(running, Action.CREATE)

    async def update(self, running: Running, names: Mapping[str, Any]) -> None:
        await self.operate(running, Action.UPDATE, self.site.template(names))

    async def operate(
        self, running: Running, action: Action, template_id: TemplateId | None = None
    ) -> None:
        assert self.stack is not None
        self.watch.states.clear()
        self.watch.stack_id = self.stack.id
        await running.begin(self.stack, action, template_id=template_id)
        await running.ended(self.stack)

    def seed(self, name: str, names: Mapping[str, Any], **fields: Any) -> None:
        """Begin in the state in which the scenario began, with these resources in all templates."""
        state = scenario(self._shared, name).states[0]
        (stack,) = state["stack"].values()
        ids = {
            stack["raw_template_id"],
            *(row["current_template_id"] for row in state["resource"].values()),
        }
        before = stack["prev_raw_template_id"]
        known = {one: self.site.template(names) for one in sorted(ids)}
        self.stack = self.site.stack(
            raw_template_id=known[stack["raw_template_id"] if before is None else before],
            name="st1",
            action=Action.CREATE,
            status=Status.COMPLETE,
            status_reason="Stack CREATE completed successfully",
            **fields,
        )
        # The scenario's first state may already be of its new traversal, the rows are as before.
        new_ids: dict[int, ResourceId] = {}
        for row in sorted(resource_records(state), key=lambda row: (len(row.requires), row.id)):
            assert row.current_template_id is not None
            definition = names[row.name]
            stored = self.site.row(
                self.stack,
                row.name,
                action=row.action,
                status=row.status,
                status_reason=row.status_reason,
                atomic_key=row.atomic_key,
                requires=tuple(new_ids[one] for one in row.requires if one in new_ids),
                current_template_id=known[row.current_template_id],
                properties=definition["properties"],
                data={"value": definition["properties"].get("value", "test_string")},
            )
            new_ids[row.id] = stored.id

    def compare(self, name: str) -> None:
        recorded = scenario(self._shared, name)
        ours, theirs = histories(self.watch.states), histories(recorded.states)
        theirs["stack"] = [shape for shape in theirs["stack"] if not _is_purged(shape)]
        assert_went_through(ours, theirs)
        self._compare_events(recorded)

    def _compare_events(self, recorded: Recorded) -> None:
        assert self.stack is not None
        ours = [
            (event.resource_name, event.resource_action, event.resource_status)
            for event in self.site.events(self.stack)
        ]
        theirs = [
            (event["resource_name"], event["resource_action"], event["resource_status"])
            for event in recorded.events
        ]
        # What runs side by side may end in another order; each resource's own order is fixed.
        for name in {event[0] for event in theirs}:
            mine = [event for event in ours if event[0] == name]
            assert mine[-len([e for e in theirs if e[0] == name]) :] == [
                event for event in theirs if event[0] == name
            ]


@pytest.fixture
def story(shared: Path, site: Site) -> Story:
    return Story(shared, site)


async def test_create_updates_and_check(story: Story, autojump_clock: MockClock) -> None:
    names = diamond()
    async with an_engine(story.site, watch=story.watch) as running:
        await story.create(running, "st1", names)
        story.compare("create: a -> (b, c) -> d")

        names |= {"a": a_test_resource(value="two"), "b": needs("a", value="two")}
        await story.update(running, names)
        story.compare("update in place")

        names |= {"b": a_test_resource(value="three", update_replace=True)}
        await story.update(running, names)
        story.compare("update with replacement of b")

        names |= {"e": needs("c")}
        del names["d"]
        await story.update(running, names)
        story.compare("update removing d, adding e")

        await story.operate(running, Action.CHECK)
        story.compare("check")


async def test_failures_rollback_and_delete(story: Story, autojump_clock: MockClock) -> None:
    names = {
        "a": a_test_resource(value="one"),
        "b": a_test_resource(),
        "c": needs("a"),
        "e": needs("c"),
    }
    bad = names | {"c": needs("a", fail=True)}
    async with an_engine(story.site, watch=story.watch) as running:
        story.seed("update failure without rollback (c fails)", names)
        await story.update(running, bad)
        story.compare("update failure without rollback (c fails)")

        story.seed("update of the failed stack back to good", names)
        await story.update(running, names)
        story.compare("update of the failed stack back to good")

        story.seed("update failure with rollback", names, disable_rollback=False)
        await story.update(running, bad)
        story.compare("update failure with rollback")

        story.seed("delete (with a snapshot left)", names)
        await story.operate(running, Action.DELETE)
        story.compare("delete (with a snapshot left)")


async def test_a_dead_engines_lock_where_nothing_is_taken_over(
    story: Story, autojump_clock: MockClock
) -> None:
    async with an_engine(story.site, watch=story.watch, takes_over=False) as running:
        await story.create(running, "st7", {"a": a_test_resource(value="x")})
        assert story.stack is not None
        (row,) = story.site.rows(story.stack)
        story.site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
        await story.update(running, {"a": a_test_resource(value="y")})
        story.compare("update with a stale lock of a dead engine on a")


FAILING = {"a": a_test_resource(), "b": needs("a", fail=True)}


async def test_a_create_that_fails_and_its_delete(story: Story, autojump_clock: MockClock) -> None:
    async with an_engine(story.site, watch=story.watch) as running:
        await story.create(running, "st2", FAILING)
        story.compare("create failure without rollback")
        await story.operate(running, Action.DELETE)
        story.compare("delete of failed stack")


async def test_a_create_that_is_rolled_back_and_its_delete(
    story: Story, autojump_clock: MockClock
) -> None:
    async with an_engine(story.site, watch=story.watch) as running:
        await story.create(running, "st3", FAILING, disable_rollback=False)
        story.compare("create failure with rollback")
        await story.operate(running, Action.DELETE)
        story.compare("delete of rolled back stack")


async def test_an_empty_stack(story: Story, autojump_clock: MockClock) -> None:
    async with an_engine(story.site, watch=story.watch) as running:
        await story.create(running, "st4", {})
        story.compare("empty stack create")
        await story.operate(running, Action.DELETE)
        story.compare("empty stack delete")


# --- messages ----------------------------------------------------------------------------------


async def test_the_same_messages_are_sent_to_workers(
    story: Story, shared: Path, autojump_clock: MockClock
) -> None:
    async with an_engine(story.site, watch=story.watch) as running:
        await story.create(running, "st1", diamond())
        ours = running.casts("check_resource")
    recorded = scenario(shared, "create: a -> (b, c) -> d").casts
    assert len(ours) == len(recorded) == 4
    for mine, theirs in zip(ours, recorded, strict=True):
        assert theirs["method"] == "check_resource"
        assert set(mine) == set(theirs["args"])
        same = {"adopt_stack_data", "converge", "node_type", "abandon", "accumulated_failures"}
        same |= {"is_update", "skip_propagate"}
        assert {key: mine[key] for key in same} == {key: theirs["args"][key] for key in same}
    # d comes last and has heard of b and c, in either order.
    last = ours[-1]["data"]["input_data"]
    assert {value["name"] for value in last.values()} == {"b", "c"}
    wanted = recorded[-1]["args"]["data"]["input_data"]
    assert {tuple(sorted(value)) for value in last.values()} == {
        tuple(sorted(value)) for value in wanted.values()
    }


# --- operations --------------------------------------------------------------------------------


async def test_a_stack_that_is_gone_cannot_begin_anything(
    site: Site, autojump_clock: MockClock
) -> None:
    async with an_engine(site) as running:
        with pytest.raises(EntityNotFound, match="gone"):
            await running.engine.operations.begin(
                CONTEXT, StackId("gone"), Action.UPDATE, template_id=site.template()
            )
        assert not await running.engine.operations.stop(CONTEXT, StackId("gone"))


async def test_changes_are_stored_with_the_new_traversal(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack({}, status=Status.COMPLETE)
    async with an_engine(site) as running:
        await running.begin(stack, Action.UPDATE, changes={"timeout": 7, "disable_rollback": False})
        ended = await running.ended(stack)
    assert (ended.timeout, ended.disable_rollback) == (7, False)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Action.UPDATE, "Updating a stack when it is deleting is not supported."),
        (Action.CHECK, "CHECK of a stack when it is deleting is not supported."),
    ],
)
async def test_nothing_comes_between_a_stack_and_its_delete(
    site: Site, autojump_clock: MockClock, action: Action, text: str
) -> None:
    # The endpoint looks before it checks a request, which takes its time; a call may come late.
    stack = site.stack({}, action=Action.DELETE)
    async with an_engine(site) as running:
        with pytest.raises(NotSupported, match=f"^{re.escape(text)}$"):
            await running.begin(stack, action, template_id=site.template({}))
        assert not await running.engine.operations.stop(CONTEXT, stack.id)
    assert site.stored_stack(stack) == stack


async def test_an_update_that_lost_to_a_stop_begins_all_the_same(
    site: Site, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The resource that a nested stack belongs to would wait for an update that nobody runs.
    stack = site.stack({}, action=Action.CREATE)
    wanted = site.template({})
    async with an_engine(site) as running:
        operations, begin = running.engine.operations, running.engine.traversals.begin
        losses: list[bool] = []

        async def stopped_first(*asked: Any) -> bool:
            if not losses:
                assert await operations.stop(CONTEXT, stack.id)
            began = await begin(*asked)
            losses.append(not began)
            return began

        monkeypatch.setattr(running.engine.traversals, "begin", stopped_first)
        await running.begin(stack, Action.UPDATE, template_id=wanted)
        ended = await running.ended(stack)
    assert losses == [True, False]
    assert (ended.action, ended.status) == (Action.UPDATE, Status.COMPLETE)
    assert ended.raw_template_id == wanted


async def test_an_update_that_lost_to_another_one_gives_way(
    site: Site, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = site.stack({}, status=Status.COMPLETE)
    faster, slower = site.template({}), site.template({})
    async with an_engine(site) as running:
        begin = running.engine.traversals.begin

        async def others_first(*asked: Any) -> bool:
            monkeypatch.undo()
            await running.begin(stack, Action.UPDATE, template_id=faster)
            return await begin(*asked)

        monkeypatch.setattr(running.engine.traversals, "begin", others_first)
        await running.begin(stack, Action.UPDATE, template_id=slower)
        ended = await running.ended(stack)
    assert (ended.action, ended.status) == (Action.UPDATE, Status.COMPLETE)
    assert ended.raw_template_id == faster


class Listening(NobodyListens):
    """Notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[EventRecord, StackRecord, RequestContext]] = []

    def stored(self, event: EventRecord, stack: StackRecord, context: RequestContext) -> None:
        self.heard.append((event, stack, context))


async def test_every_event_that_is_stored_is_told_of(site: Site, autojump_clock: MockClock) -> None:
    listening = Listening()
    good = {"a": a_test_resource(value="1")}
    bad = {
        "a": a_test_resource(value="2"),
        "b": {**a_test_resource(fail=True), "depends_on": ["a"]},
    }
    slow = {"a": a_test_resource(value="3", action_wait_secs={"update": 60})}
    stack = site.stack(good, action=Action.CREATE)
    async with an_engine(site, listener=listening) as running:
        for action, names in (
            (Action.CREATE, None),
            (Action.UPDATE, bad),
            (Action.ROLLBACK, None),
            (Action.CHECK, None),
        ):
            more = {} if names is None else {"template_id": site.template(names)}
            await running.begin(stack, action, **more)
            await running.ended(stack)
        await running.begin(stack, Action.UPDATE, template_id=site.template(slow))
        await trio.sleep(10)
        await running.engine.operations.stop(CONTEXT, stack.id)
        await running.begin(stack, Action.DELETE)
        await trio.sleep(120)
    stored = site.events(stack)
    assert len(stored) > 20
    assert {event.uuid for event in stored} == {event.uuid for event, _, _ in listening.heard}
    told = {event.uuid: event for event, _, _ in listening.heard}
    for event in stored:
        heard = told[event.uuid]
        assert (
            heard.resource_status,
            heard.resource_status_reason,
            heard.physical_resource_id,
        ) == (
            event.resource_status,
            event.resource_status_reason,
            event.physical_resource_id,
        )
    assert {context.user_id for _, _, context in listening.heard} == {CONTEXT.user_id}
    states = [
        f"{moved.action}_{moved.status}"
        for event, moved, _ in listening.heard
        if is_of_stack(event)
    ]
    assert states == [
        "CREATE_IN_PROGRESS",
        "CREATE_COMPLETE",
        "UPDATE_IN_PROGRESS",
        "UPDATE_FAILED",
        "ROLLBACK_IN_PROGRESS",
        "ROLLBACK_COMPLETE",
        "CHECK_IN_PROGRESS",
        "CHECK_COMPLETE",
        "UPDATE_IN_PROGRESS",
        "UPDATE_FAILED",
        "DELETE_IN_PROGRESS",
        "DELETE_COMPLETE",
    ]


async def test_a_newer_operation_takes_over(site: Site, autojump_clock: MockClock) -> None:
    slow = {"a": a_test_resource(wait_secs=10), "b": needs("a")}
    stack = site.stack(slow, action=Action.CREATE)
    async with an_engine(site) as running:
        await running.begin(stack, Action.CREATE)
        await trio.sleep(1)
        only_b = site.template({"b": a_test_resource()})
        await running.begin(stack, Action.UPDATE, template_id=only_b)
        ended = await running.ended(stack)
    assert (ended.action, ended.status) == (Action.UPDATE, Status.COMPLETE)
    assert [row.name for row in site.rows(stack)] == ["b"]


async def test_a_stopped_operation_ends_as_failed(site: Site, autojump_clock: MockClock) -> None:
    stack = site.stack({"a": a_test_resource(wait_secs=10)}, action=Action.CREATE)
    async with an_engine(site) as running:
        await running.begin(stack, Action.CREATE)
        await trio.sleep(1)
        assert await running.engine.operations.stop(CONTEXT, stack.id)
        ended = await running.ended(stack)
        assert (ended.status, ended.status_reason) == (Status.FAILED, "Stack CREATE cancelled")
        assert not await running.engine.operations.stop(CONTEXT, stack.id)
        await trio.sleep(20)
    # What was under way came to its end, and nobody holds the row any more.
    (row,) = site.rows(stack)
    assert (row.action, row.status, row.engine_id) == (Action.CREATE, Status.COMPLETE, None)


async def test_a_delete_stops_what_is_under_way(site: Site, autojump_clock: MockClock) -> None:
    slow = a_test_resource(action_wait_secs={"create": 3000})
    stack = site.stack({"a": slow}, action=Action.CREATE)
    async with an_engine(site) as running:
        await running.begin(stack, Action.CREATE)
        await trio.sleep(1)
        began = trio.current_time()
        await running.begin(stack, Action.DELETE)
        ended = await running.ended(stack)
        assert trio.current_time() - began < 5
        (cancelled,) = running.casts("cancel_check_resource")
    assert cancelled == {"stack_id": stack.id}
    assert ended.deleted_at is not None
    reasons = [event.resource_status_reason for event in site.events(stack)]
    assert "Stack CREATE cancelled" in reasons
    assert "CREATE aborted" in reasons


async def test_an_operation_that_takes_too_long_times_out(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack(
        {"a": a_test_resource(wait_secs=3000)}, action=Action.CREATE, timeout=1, created_at=NOW
    )
    async with an_engine(site) as running:
        await running.begin(stack, Action.CREATE)
        ended = await running.ended(stack)
        assert trio.current_time() < 65
    assert (ended.status, ended.status_reason) == (Status.FAILED, "Timed out")
    (row,) = site.rows(stack)
    assert (row.status, row.status_reason) == (Status.FAILED, "CREATE aborted (Timed out)")


async def test_leaving_the_engine_leaves_locks_for_the_next_one(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack({"a": a_test_resource(wait_secs=30)}, action=Action.CREATE)
    async with an_engine(site) as running:
        await running.begin(stack, Action.CREATE)
        await trio.sleep(1)
    (row,) = site.rows(stack)
    assert (row.status, row.engine_id) == (Status.IN_PROGRESS, MINE)
    async with an_engine(site, engine_id=OTHER, resume=True) as running:
        ended = await running.ended(stack)
    assert (ended.action, ended.status) == (Action.CREATE, Status.COMPLETE)
    (row,) = site.rows(stack)
    assert (row.status, row.engine_id) == (Status.COMPLETE, None)
