"""Beginnings and ends of traversals under Trio: what is waited for, what is told, what is owed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import trio
from site_of_tests import (
    CONTEXT,
    OTHER,
    AllAlive,
    Faults,
    Site,
    a_test_resource,
    an_engine,
)
from trio.testing import MockClock

from heat_core.convergence.traversal import OperationRequested
from heat_core.errors import Error
from heat_core.rpc import RequestContext
from heat_core.stack.ids import TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Fault, resources, stacks
from heat_io.drivers import NoStoredCredentials
from heat_io.drivers.traversal_driver import STOP_WORKERS_SECONDS

A = {"a": a_test_resource()}


def at_rest(site: Site, names: dict[str, Any] | None = None, **fields: Any) -> StackRecord:
    values: dict[str, Any] = {"action": Action.CREATE, "status": Status.COMPLETE}
    return site.stack(A if names is None else names, **values | fields)


# --- beginning ---------------------------------------------------------------------------------


async def test_begin_returns_once_the_traversal_is_stored(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = at_rest(site, {"a": a_test_resource(wait_secs=30)})
    async with an_engine(site) as running:
        await running.begin(stack, Action.UPDATE, template_id=site.template(A))
        stored = site.stored_stack(stack)
        assert trio.current_time() == pytest.approx(0)
        assert (stored.action, stored.status) == (Action.UPDATE, Status.IN_PROGRESS)
        assert stored.current_traversal != stack.current_traversal
        await running.ended(stack)


async def test_whoever_was_faster_wins(site: Site, autojump_clock: MockClock) -> None:
    stack = at_rest(site)
    async with an_engine(site) as running:
        traversals = running.engine.traversals
        request = OperationRequested(Action.UPDATE, site.template(A))
        assert await traversals.begin(stack, request, CONTEXT)
        # The same stack as it was before: somebody else has moved it on since.
        assert not await traversals.begin(stack, request, CONTEXT)
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE
    starts = [e for e in site.events(stack) if e.resource_status_reason == "Stack UPDATE started"]
    assert len(starts) == 1


async def test_an_operation_that_was_beaten_is_no_error(
    site: Site,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stack = at_rest(site)
    caplog.set_level("INFO")
    async with an_engine(site) as running:

        async def beaten(*arguments: Any) -> bool:
            return False

        monkeypatch.setattr(running.engine.traversals, "begin", beaten)
        await running.begin(stack, Action.UPDATE)
    assert "another operation of the stack was faster" in [r.message for r in caplog.records]


async def test_a_delete_that_was_beaten_begins_anew(
    site: Site, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = at_rest(site)
    async with an_engine(site) as running:
        begin = running.engine.traversals.begin
        calls: list[str | None] = []

        async def beaten_once(found: StackRecord, *arguments: Any) -> bool:
            calls.append(found.current_traversal)
            if len(calls) == 1:
                moved = {"current_traversal": TraversalId("faster")}
                site.write(lambda c: stacks.update(c, stack.id, moved))
            return await begin(found, *arguments)

        monkeypatch.setattr(running.engine.traversals, "begin", beaten_once)
        await running.begin(stack, Action.DELETE)
        ended = await running.ended(stack)
    assert calls == [stack.current_traversal, "faster"]
    assert ended.deleted_at is not None


async def test_a_template_without_an_order_fails_the_operation(
    site: Site, autojump_clock: MockClock
) -> None:
    circle = {
        "a": {**a_test_resource(), "depends_on": "b"},
        "b": {**a_test_resource(), "depends_on": "a"},
    }
    stack = at_rest(site)
    async with an_engine(site) as running:
        await running.begin(stack, Action.UPDATE, template_id=site.template(circle))
        ended = await running.ended(stack)
    assert ended.status is Status.FAILED
    assert ended.status_reason in ("a -> b", "b -> a")
    assert site.rows(stack) == []


async def test_a_template_that_refers_to_nothing_fails_the_operation(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = at_rest(site)
    bad = {"a": {**a_test_resource(), "depends_on": "nobody"}}
    async with an_engine(site) as running:
        await running.begin(stack, Action.UPDATE, template_id=site.template(bad))
        ended = await running.ended(stack)
    assert ended.status is Status.FAILED
    assert "nobody" in (ended.status_reason or "")


async def test_an_unexpected_error_is_left_to_the_sweeper(
    site: Site,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stack = at_rest(site)
    async with an_engine(site) as running:

        async def broken(stack: StackRecord) -> Any:
            raise RuntimeError("bad luck")

        monkeypatch.setattr(running.engine.definitions, "for_stack", broken)
        await running.begin(stack, Action.UPDATE, template_id=site.template(A))
        await trio.sleep(1)
        assert not running.engine.traversals.busy_with(stack.id)
        assert site.stored_stack(stack).status is Status.IN_PROGRESS
        monkeypatch.undo()
        await running.engine.sweeper.sweep()
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE
    assert "a traversal's step ended in an unexpected error" in [
        record.message for record in caplog.records
    ]


class Trusted(NoStoredCredentials):
    async def context_for(self, stack: StackRecord, context: RequestContext) -> RequestContext:
        return context.acting_with(RequestContext(trust_id="trust"), stack.tenant)


async def test_all_messages_of_a_traversal_carry_the_stored_credentials(
    site: Site, autojump_clock: MockClock
) -> None:
    names = {"a": a_test_resource(), "b": {**a_test_resource(), "depends_on": ["a"]}}
    stack = at_rest(site, names)
    asked = replace(CONTEXT, auth_token="user's", roles=("member",))
    async with an_engine(site, credentials=Trusted()) as running:
        await running.engine.operations.begin(asked, stack.id, Action.UPDATE)
        await running.ended(stack)
        contexts = running.contexts("check_resource")
    assert len(contexts) == 2
    for context in contexts:
        assert (context.trust_id, context.auth_token) == ("trust", None)
        assert (context.user_id, context.roles) == (CONTEXT.user_id, ("member",))


async def test_preparing_what_was_prepared_casts_nothing(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = at_rest(site, {"a": a_test_resource(action_wait_secs={"create": 10})})
    async with an_engine(site) as running:
        await running.begin(stack, Action.UPDATE)
        await trio.sleep(1)
        casts = len(running.casts("check_resource"))
        await running.engine.traversals.prepare(site.stored_stack(stack), CONTEXT)
        assert len(running.casts("check_resource")) == casts
        await running.ended(stack)


# --- stopping workers --------------------------------------------------------------------------


async def test_a_delete_waits_a_while_for_workers_that_do_not_listen(
    site: Site, autojump_clock: MockClock
) -> None:
    # rules/i-convergence.md#10
    stack = at_rest(site)
    row = site.row(stack, engine_id=OTHER, status=Status.IN_PROGRESS, properties={})
    async with an_engine(site, liveness=AllAlive()) as running:
        await running.begin(stack, Action.DELETE)
        await trio.sleep(STOP_WORKERS_SECONDS - 1)
        assert running.casts("check_resource") == []
        assert running.casts("cancel_check_resource") == [{"stack_id": stack.id}]
        (told,) = [m for m in running.messages if m.method == "cancel_check_resource"]
        assert told.target is not None
        assert told.target.server == OTHER
        await trio.sleep(2)
        assert len(running.casts("check_resource")) == 1
        # It lets go at last, and says so as every engine does.
        site.write(lambda c: resources.update(c, row.id, {"engine_id": None}))
        await running.engine.sweeper.sweep()
        ended = await running.ended(stack)
    assert ended.deleted_at is not None


async def test_a_delete_does_not_wait_for_who_works_for_it_already(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = at_rest(site, {"a": a_test_resource(), "b": a_test_resource()})
    row = site.row(stack, engine_id=OTHER, status=Status.IN_PROGRESS, properties={})
    other = site.row(stack, "b", properties={})
    async with an_engine(site, liveness=AllAlive()) as running:
        await running.begin(stack, Action.DELETE)
        await trio.sleep(1)
        # The holder lets go, and the one that it wakes takes the row at once, for the delete.
        again = {"engine_id": OTHER, "atomic_key": 9, "action": Action.DELETE}
        site.write(lambda c: resources.update(c, row.id, again))
        await trio.sleep(1)
        assert other.id in [cast["resource_id"] for cast in running.casts("check_resource")]


async def test_a_delete_goes_on_as_soon_as_the_rows_are_free(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = at_rest(site)
    row = site.row(stack, engine_id=OTHER, properties={})
    async with an_engine(site, liveness=AllAlive()) as running:
        await running.begin(stack, Action.DELETE)
        await trio.sleep(3)
        site.write(lambda c: resources.update(c, row.id, {"engine_id": None}))
        ended = await running.ended(stack)
        assert trio.current_time() < 5
    assert ended.deleted_at is not None


async def test_a_delete_does_not_wait_for_the_dead(site: Site, autojump_clock: MockClock) -> None:
    stack = at_rest(site)
    site.row(stack, engine_id=OTHER, properties={})
    async with an_engine(site) as running:
        await running.begin(stack, Action.DELETE)
        ended = await running.ended(stack)
        assert trio.current_time() < 2
        assert running.casts("cancel_check_resource") == []
    assert ended.deleted_at is not None


# --- ending ------------------------------------------------------------------------------------


class Refused(NoStoredCredentials):
    """A project that cannot be removed."""

    def __init__(self) -> None:
        self.removed: list[str] = []

    async def remove(self, stack: StackRecord) -> None:
        await trio.lowlevel.checkpoint()
        self.removed.append(stack.id)
        raise Error("no access")


async def test_a_project_that_cannot_be_removed_fails_the_delete(
    site: Site, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    # rules/i-convergence.md#35
    stack = at_rest(site, {})
    credentials = Refused()
    async with an_engine(site, credentials=credentials) as running:
        await running.begin(stack, Action.DELETE)
        ended = await running.ended(stack)
    assert (ended.action, ended.status) == (Action.DELETE, Status.FAILED)
    assert ended.status_reason == "Error deleting project: no access"
    assert ended.deleted_at is None
    assert credentials.removed == [stack.id]


async def test_a_failure_after_the_traversal_has_moved_on_is_nobodys(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack(A)
    async with an_engine(site) as running:
        older = replace(stack, current_traversal=TraversalId("older"))
        assert not await running.engine.traversals.fail(older, "why", CONTEXT)
        assert await running.engine.traversals.fail(stack, "why", CONTEXT)
        ended = await running.ended(stack)
    assert (ended.status, ended.status_reason) == (Status.FAILED, "why")


@pytest.mark.parametrize("action", [Action.CHECK, Action.UPDATE])
async def test_failures_count_for_a_check_only(
    site: Site, autojump_clock: MockClock, action: Action
) -> None:
    # rules/i-convergence.md#18
    stack = site.stack(A, action=action)
    failures = {"a": "Resource CHECK failed: why", "b": "Timed out"}
    async with an_engine(site) as running:
        await running.engine.traversals.arrived(stack, failures, CONTEXT)
        ended = await running.ended(stack)
    if action is Action.CHECK:
        assert (ended.status, ended.status_reason) == (
            Status.FAILED,
            "Resource CHECK failed: a: Resource CHECK failed: why; b: Timed out",
        )
    else:
        assert ended.status is Status.COMPLETE


@pytest.mark.parametrize(
    ("names", "note"),
    [
        (A, ""),
        (A | {"d": {"type": "OS::Heat::Delay"}}, ". 'CHECK' not fully supported (see resources)"),
    ],
)
async def test_a_check_says_when_not_everything_could_be_checked(
    site: Site, autojump_clock: MockClock, names: dict[str, Any], note: str
) -> None:
    # rules/g-events-status.md#3
    stack = at_rest(site, names)
    for name in names:
        site.row(stack, name, properties={})
    async with an_engine(site) as running:
        await running.begin(stack, Action.CHECK)
        ended = await running.ended(stack)
    assert ended.status_reason == f"Stack CHECK completed successfully{note}"


async def test_a_failed_check_goes_through_the_whole_stack(
    site: Site, autojump_clock: MockClock
) -> None:
    names = A | {
        "b": {**a_test_resource(), "depends_on": "a"},
        "c": a_test_resource(),
    }
    stack = at_rest(site, names)
    missing = site.row(stack, "a", physical_id=None, properties={})
    skipped = site.row(stack, "b", properties={})
    checked = site.row(stack, "c", properties={})
    async with an_engine(site) as running:
        await running.begin(stack, Action.CHECK)
        ended = await running.ended(stack)
    reason = "Error: resources.a: Can not check a, resource not created yet."
    assert ended.status is Status.FAILED
    assert ended.status_reason == (f"Resource CHECK failed: a: Resource CHECK failed: {reason}")
    found = [site.stored(row) for row in (missing, skipped, checked)]
    assert [row and (row.action, row.status) for row in found] == [
        (Action.CHECK, Status.FAILED),
        (Action.CREATE, Status.COMPLETE),
        (Action.CHECK, Status.COMPLETE),
    ]


# --- lost commits ------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LOST_AFTER_COMMIT])
@pytest.mark.parametrize("number", range(8))
async def test_a_lost_commit_of_a_failure_and_its_rollback_is_settled(
    site: Site, autojump_clock: MockClock, fault: Fault, number: int
) -> None:
    faults = Faults()
    faults.at_commit_number(number, fault)
    failing = {"a": a_test_resource(fail=True)}
    stack = site.stack(failing, action=Action.CREATE, disable_rollback=False)
    async with an_engine(site, faults=faults) as running:
        await running.begin(stack, Action.CREATE)
        ended = await running.ended(stack)
    assert (ended.action, ended.status) == (Action.ROLLBACK, Status.COMPLETE)
    assert site.rows(stack) == []
    assert faults.left == 0
    reasons = [event.resource_status_reason for event in site.events(stack)]
    assert reasons.count("Stack ROLLBACK started") == 1
    assert reasons.count("Stack ROLLBACK completed successfully") == 1
    assert sum(reason.startswith("Resource CREATE failed") for reason in reasons) == 1


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LOST_AFTER_COMMIT])
@pytest.mark.parametrize("number", range(4))
async def test_a_lost_commit_of_a_delete_is_settled(
    site: Site, autojump_clock: MockClock, fault: Fault, number: int
) -> None:
    faults = Faults()
    faults.at_commit_number(number, fault)
    stack = site.stack({}, action=Action.CREATE)
    async with an_engine(site, faults=faults) as running:
        await running.begin(stack, Action.DELETE)  # stop, switch, prepare, status, purge
        ended = await running.ended(stack)
    assert ended.deleted_at is not None
    assert faults.left == 0
    reasons = [event.resource_status_reason for event in site.events(stack)]
    assert reasons == [
        "Stack CREATE cancelled",
        "Stack DELETE started",
        "Stack DELETE completed successfully",
    ]
