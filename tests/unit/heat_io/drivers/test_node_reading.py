"""What a visit reads and decides, and with whose credentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import trio
import trio.lowlevel
from site_of_tests import (
    INIT,
    PROJECT,
    Site,
    a_test_resource,
    an_engine,
    message,
    only,
)
from trio.testing import MockClock

from heat_core.convergence import Node
from heat_core.errors import AuthorizationFailure
from heat_core.procedure import HttpAnswer, HttpCall
from heat_core.rpc import RequestContext
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import resources
from heat_io.drivers import NoStoredCredentials

# --- what a row stands for ---------------------------------------------------------------------


def replaced(site: Site, old: ResourceRecord, new: ResourceRecord) -> None:
    site.write(lambda c: resources.update(c, old.id, {"replaced_by": new.id}))


async def test_a_replacement_of_a_replacement_goes_on_with_the_traversal(
    site: Site, autojump_clock: MockClock
) -> None:
    # The first replacement could not be gone on with after its engine's end.
    stack = site.stack({"a": a_test_resource()})
    first = site.row(stack, properties={})
    second = site.row(stack, status=Status.FAILED, replaces=first.id)
    third = site.row(stack, **INIT, replaces=second.id)
    replaced(site, first, second)
    replaced(site, second, third)
    site.graph(stack, [(Node(first.id, True), None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(Node(first.id, True)))
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE
    made = site.stored(third)
    assert made is not None
    assert (made.action, made.status) == (Action.CREATE, Status.COMPLETE)


async def test_what_was_replaced_and_cleaned_up_is_not_replaced_again(
    site: Site, autojump_clock: MockClock
) -> None:
    # The message comes once more after the clean-up of the old row, which sets its replacement
    # free; the traversal still goes on, since this may be the one that reports.
    stack = site.stack({"a": a_test_resource()})
    gone = site.row(stack, action=Action.DELETE, current_template_id=site.template({}))
    made = site.row(stack, properties={})
    replaced(site, gone, made)
    site.graph(stack, [(Node(gone.id, True), None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(Node(gone.id, True)))
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE
    assert {row.id for row in site.rows(stack)} <= {gone.id, made.id}


@pytest.mark.parametrize("reported", [True, False])
async def test_what_has_reported_is_not_begun_again(
    site: Site, autojump_clock: MockClock, reported: bool
) -> None:
    # A nested stack is always updated; here an attempt to update would move the key of the row.
    resources_of_both = {"a": a_test_resource(value="new"), "b": a_test_resource()}
    stack = site.stack(resources_of_both, action=Action.ROLLBACK)
    row = site.row(stack, properties={"value": "old"})
    node, other = Node(row.id, True), Node(99, True)
    site.graph(stack, [(node, None), (other, None)])
    if reported:
        site.arrived(stack, None, node, None)
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        await trio.sleep(1)
    stored = site.stored(row)
    assert stored is not None
    assert (stored.atomic_key == row.atomic_key) == reported


async def test_what_is_done_and_has_not_reported_only_reports(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack({"a": a_test_resource(value="new"), "b": a_test_resource()})
    row = site.row(stack, properties={"value": "old"})
    node, other = Node(row.id, True), Node(99, True)
    site.graph(stack, [(node, None), (other, None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        await trio.sleep(1)
    assert site.stored(row) == row
    assert site.entries(stack, None) == {node.key: None}


@pytest.mark.parametrize("is_broken", [True, False])
async def test_what_a_check_found_broken_below_is_updated_and_what_a_user_said_is_replaced(
    site: Site, autojump_clock: MockClock, is_broken: bool
) -> None:
    # rules/h-updates.md#25
    group = {"count": 1, "resource_def": a_test_resource()}
    stack = site.stack({"a": {"type": "OS::Heat::ResourceGroup", "properties": group}})
    status = Status.FAILED if is_broken else Status.COMPLETE
    child = site.stack({}, name="below", action=Action.CHECK, status=status)
    row = site.row(
        stack,
        action=Action.CHECK,
        status=Status.FAILED,
        current_template_id=site.template(
            {"a": {"type": "OS::Heat::ResourceGroup", "properties": group}}
        ),
        properties=group,
        physical_id=child.id,
    )
    site.graph(stack, [(Node(row.id, True), None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(Node(row.id, True)))
        await trio.sleep(1)
        found = site.stored(row)
    assert found is not None
    assert (found.action is Action.UPDATE) == is_broken
    assert (found.replaced_by is None) == is_broken


async def test_a_row_that_names_a_stranger_is_not_taken_for_replaced(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack({"a": a_test_resource(), "b": a_test_resource()})
    row = site.row(stack, properties={})
    stranger = site.row(stack, "b", properties={})
    replaced(site, row, stranger)
    site.graph(stack, [(Node(row.id, True), None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(Node(row.id, True)))
        ended = await running.ended(stack)
        casts = running.casts("check_resource")
    assert ended.status is Status.COMPLETE
    assert casts == []


# --- credentials -------------------------------------------------------------------------------


class Cloud:
    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        assert credentials == "stored"
        await trio.lowlevel.checkpoint()
        if call.method == "POST":
            return HttpAnswer(201, {"project": {"id": "id-1", "tags": []}})
        return HttpAnswer(200, {"domain": {"id": "default"}, "projects": []})

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        return 1.0


@dataclass
class Stored(NoStoredCredentials):
    """Credentials that are there, or not any more."""

    there: int = 99
    asked: int = 0

    async def for_stack(self, stack: StackRecord, context: RequestContext | None = None) -> Any:
        await trio.lowlevel.checkpoint()
        self.asked += 1
        if self.asked > self.there:
            raise AuthorizationFailure
        return "stored"


async def test_types_of_a_service_act_with_stored_credentials(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, row, node = only(site, definition=PROJECT)
    async with an_engine(site, cloud=Cloud(), credentials=Stored()) as running:
        await running.engine.nodes.check_resource(message(node))
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE
    stored = site.stored(row)
    assert stored is not None
    assert stored.physical_id == "id-1"


async def test_types_without_a_service_ask_for_none(site: Site, autojump_clock: MockClock) -> None:
    stack, _, node = only(site)
    credentials = Stored()
    async with an_engine(site, credentials=credentials) as running:
        await running.engine.nodes.check_resource(message(node))
        await running.ended(stack)
    assert credentials.asked == 0


@pytest.mark.parametrize("there", [0, 1])
async def test_a_stack_for_which_nobody_can_act_fails_and_says_so(
    site: Site, autojump_clock: MockClock, there: int
) -> None:
    # Missing from the start, and missing between the decision and the action.
    stack, row, node = only(site, definition=PROJECT)
    async with an_engine(site, cloud=Cloud(), credentials=Stored(there)) as running:
        await running.engine.nodes.check_resource(message(node))
        ended = await running.ended(stack)
    reason = "AuthorizationFailure: resources.a: Authorization failed."
    assert ended.status_reason == f"Resource CREATE failed: {reason}"
    stored = site.stored(row)
    assert stored is not None
    assert (stored.status, stored.status_reason) == (Status.FAILED, reason)
    assert {event.resource_type for event in site.events(stack)} == {
        "OS::Keystone::Project",
        "OS::Heat::Stack",
    }


async def test_a_clean_up_for_which_nobody_can_act_fails_and_says_so(
    site: Site, autojump_clock: MockClock
) -> None:
    made_from = site.template({"a": PROJECT})
    stack = site.stack({}, action=Action.DELETE)
    row = site.row(stack, current_template_id=made_from, properties={})
    node = Node(row.id, False)
    site.graph(stack, [(node, None)])
    async with an_engine(site, cloud=Cloud(), credentials=Stored(0)) as running:
        await running.engine.nodes.check_resource(message(node))
        ended = await running.ended(stack)
    assert ended.status_reason == (
        "Resource DELETE failed: AuthorizationFailure: resources.a: Authorization failed."
    )
