"""Who is woken, and what is reported for whom."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
import trio
import trio.lowlevel
from site_of_tests import (
    CONTEXT,
    INIT,
    NOW,
    SLOW,
    TRAVERSAL,
    Running,
    Site,
    a_test_resource,
    an_engine,
    message,
    only,
)
from trio.testing import MockClock

from heat_core.convergence import Node
from heat_core.convergence.node_events import Visit
from heat_core.rpc import RequestContext
from heat_core.stack.ids import ResourceId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import resources, stacks, sync_points
from heat_io.drivers import NoStoredCredentials

# --- asking ------------------------------------------------------------------------------------


@dataclass
class Trusted(NoStoredCredentials):
    """Stored credentials, and how often they were asked for."""

    asked: int = 0

    async def context_for(self, stack: StackRecord, context: RequestContext) -> RequestContext:
        await trio.lowlevel.checkpoint()
        self.asked += 1
        return replace(context, trust_id="stored")


def two_in_a_row(site: Site) -> tuple[StackRecord, Node]:
    """A stack of two, of which the second requires the first; the first one's node."""
    stack = site.stack({"a": a_test_resource(), "b": {**a_test_resource(), "depends_on": ["a"]}})
    first, second = (Node(site.row(stack, name, **INIT).id, True) for name in "ab")
    site.graph(stack, [(first, None), (second, first)])
    return stack, first


async def test_what_is_due_next_is_asked_for_in_the_context_that_came(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, first = two_in_a_row(site)
    came = replace(CONTEXT, trust_id="came", roles=("member",))
    credentials = Trusted()
    async with an_engine(site, credentials=credentials) as running:
        await running.engine.nodes.check_resource(replace(message(first), context=came))
        await running.ended(stack)
        assert running.contexts("check_resource") == [came]
    assert credentials.asked == 0


async def test_what_a_visit_without_credentials_makes_due_carries_the_stored_ones(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, first = two_in_a_row(site)
    visit = Visit(ResourceId(int(first.id)), TRAVERSAL, True, {})
    async with an_engine(site, credentials=Trusted()) as running:
        running.engine.nodes.start(visit, CONTEXT)
        await running.ended(stack)
        (context,) = running.contexts("check_resource")
    assert (context.trust_id, context.request_id) == ("stored", CONTEXT.request_id)


# --- waking ------------------------------------------------------------------------------------


async def superseded(
    running: Running, site: Site, node: Node, edges: list[tuple[Node, Node | None]], **fields: Any
) -> StackRecord:
    """While row 1 is at work a new traversal with this graph takes over; its end is awaited."""
    await running.engine.nodes.check_resource(message(node))
    row = site.stored(ResourceId(int(node.id)))
    assert row is not None
    before = site.read(lambda c: stacks.fetch(c, row.stack_id))
    assert before is not None
    return moved_on(site, before, edges, **fields)


def moved_on(
    site: Site, stack: StackRecord, edges: list[tuple[Node, Node | None]], **fields: Any
) -> StackRecord:
    """The stack in a newer traversal with this graph."""
    newer = {"current_traversal": TraversalId("newer"), **fields}
    site.write(lambda c: stacks.update(c, stack.id, newer))
    site.write(lambda c: sync_points.delete_for_traversal(c, stack.id, TRAVERSAL))
    moved = site.stored_stack(stack)
    site.graph(moved, edges)
    return moved


async def test_a_holder_wakes_the_traversal_that_it_kept_waiting(
    site: Site, autojump_clock: MockClock
) -> None:
    # rules/i-convergence.md#30
    _, row, node = only(site)
    async with an_engine(site, credentials=Trusted()) as running:
        stack = await superseded(running, site, node, [(node, None)])
        await running.engine.nodes.check_resource(message(node, TraversalId("newer")))
        ended = await running.ended(stack)
        (woken,) = running.casts("check_resource")
        (context,) = running.contexts("check_resource")
    # An earlier operation's may not be of any use any more.
    assert context.trust_id == "stored"
    assert ended.status is Status.COMPLETE
    assert woken["current_traversal"] == "newer"
    assert woken["data"] == {"input_data": {node.key: None}}
    stored = site.stored(row)
    assert stored is not None
    assert stored.status is Status.COMPLETE


async def test_a_clean_up_that_waits_for_the_row_is_woken_too(
    site: Site, autojump_clock: MockClock
) -> None:
    _, row, node = only(site)
    async with an_engine(site) as running:
        empty = site.template()
        clean_up = Node(row.id, False)
        stack = await superseded(
            running, site, node, [(clean_up, None)], raw_template_id=empty, action=Action.DELETE
        )
        await running.engine.nodes.check_resource(message(clean_up, TraversalId("newer")))
        ended = await running.ended(stack)
        (woken,) = running.casts("check_resource")
    assert woken["is_update"] is False
    assert ended.deleted_at is not None


@pytest.mark.parametrize(
    "fields", [{"status": Status.FAILED}, {"deleted_at": NOW}, {"current_traversal": ""}]
)
async def test_nobody_is_woken_where_nobody_waits(
    site: Site, autojump_clock: MockClock, fields: dict[str, Any]
) -> None:
    _, row, node = only(site)
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        newer = {"current_traversal": TraversalId("newer"), **fields}
        site.write(lambda c: stacks.update(c, row.stack_id, newer))
        await running.engine.nodes.stop_superseded(row.stack_id)
        await trio.sleep(1)
        assert running.casts("check_resource") == []
        assert running.engine.nodes.busy == 0


async def test_a_traversal_that_is_being_prepared_finds_the_row_by_itself(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, row, node = only(site)
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        newer = {"current_traversal": TraversalId("newer")}
        site.write(lambda c: stacks.update(c, stack.id, newer))
        site.write(lambda c: sync_points.delete_for_traversal(c, stack.id, TRAVERSAL))
        await trio.sleep(20)
        assert running.casts("check_resource") == []
        assert running.engine.nodes.busy == 0
    stored = site.stored(row)
    assert stored is not None
    assert stored.engine_id is None


async def test_a_row_that_the_new_traversal_does_not_want_wakes_nobody(
    site: Site, autojump_clock: MockClock
) -> None:
    _, _, node = only(site)
    async with an_engine(site) as running:
        await superseded(running, site, node, [(Node(99, True), None)])
        await trio.sleep(20)
        assert running.casts("check_resource") == []


@pytest.mark.parametrize("is_update", [True, False])
async def test_a_replacement_that_the_new_traversal_does_not_know_is_left_to_its_clean_up(
    site: Site, autojump_clock: MockClock, is_update: bool
) -> None:
    # rules/i-convergence.md#12
    stack = site.stack({"a": SLOW})
    old = site.row(stack, properties={})
    new = site.row(stack, **INIT, replaces=old.id)
    site.write(lambda c: resources.update(c, old.id, {"replaced_by": new.id}))
    node, waiting = Node(old.id, True), Node(old.id, is_update)
    site.graph(stack, [(node, None)])
    async with an_engine(site) as running:
        nodes = running.engine.nodes
        await nodes.check_resource(message(Node(new.id, True)))
        moved_on(site, stack, [(waiting, None)])
        await trio.sleep(12)
        woken = running.casts("check_resource")
    stored = site.stored(new)
    assert stored is not None
    # Not DELETE COMPLETE: it has made an object, which would be forgotten with the row.
    assert (stored.action, stored.status, stored.engine_id) == (
        Action.DELETE,
        Status.FAILED,
        None,
    )
    assert [(cast["resource_id"], cast["is_update"]) for cast in woken[:1]] == [(old.id, is_update)]


async def test_a_replacement_that_was_never_made_is_gone_at_once(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack({"a": SLOW})
    old = site.row(stack, properties={})
    new = site.row(stack, **INIT, replaces=old.id)
    # The other root keeps the traversal from its end, where rows that are gone are purged.
    moved_on(site, stack, [(Node(old.id, True), None), (Node(99, True), None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(Node(new.id, True)))
        await trio.sleep(1)
        stored = site.stored(new)
        assert stored is not None
        assert (stored.action, stored.status) == (Action.DELETE, Status.COMPLETE)
        (woken,) = running.casts("check_resource")
    assert woken["resource_id"] == old.id


async def test_a_replacement_of_a_row_that_is_forgotten_is_only_disowned(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack({"a": SLOW})
    new = site.row(stack, **INIT, replaces=ResourceId(99))
    site.graph(stack, [(Node(99, True), None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(Node(new.id, True)))
        moved_on(site, stack, [(Node(98, True), None)])
        await trio.sleep(12)
        assert running.casts("check_resource") == []
    stored = site.stored(new)
    assert stored is not None
    assert stored.action is Action.DELETE


async def test_a_replacement_that_is_gone_stays_gone(site: Site, autojump_clock: MockClock) -> None:
    # Two operations on: its own clean-up was faster than the visit that it had turned away.
    stack = site.stack({"a": SLOW})
    old = site.row(stack, properties={})
    new = site.row(stack, action=Action.DELETE, replaces=old.id)
    moved_on(site, stack, [(Node(old.id, True), None), (Node(99, True), None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(Node(new.id, True)))
        await trio.sleep(1)
        stored = site.stored(new)
        (woken,) = running.casts("check_resource")
    assert stored is not None
    assert (stored.action, stored.status) == (Action.DELETE, Status.COMPLETE)
    assert woken["resource_id"] == old.id
