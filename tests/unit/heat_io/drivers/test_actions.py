"""The procedures of a claimed row: how each ends, and what a crash or a lost lock leaves behind."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pytest
import trio
from site_of_tests import CONTEXT, MINE, NOW, OTHER, TEST, Faults, Site
from trio.testing import MockClock

from heat_core.convergence.evaluation import Plan
from heat_core.convergence.node_events import (
    Outcome,
    ProcedureFinished,
    RunProcedure,
    StoreOutcome,
)
from heat_core.errors import ResourceInError, UpdateReplace
from heat_core.procedure import (
    Datum,
    HttpAnswer,
    HttpCall,
    ProcedureIO,
    ServiceError,
    StoreCreated,
)
from heat_core.resources import Change, ResourceType, registry
from heat_core.rpc import RequestContext
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Applied,
    ConnectionLost,
    Database,
    Fault,
    resource_removal,
    resources,
)
from heat_io.database.lanes import LanesClosed
from heat_io.drivers import NoStoredCredentials
from heat_io.drivers.actions import (
    REMOVE_STRAY_SECONDS,
    Actions,
    may_retry,
    pause,
)
from heat_io.drivers.children import ChildParts
from heat_io.drivers.claimed_row import SEARCH_OWED, ClaimedRow
from heat_io.drivers.node_store import NodeWrites
from heat_io.drivers.procedure_driver import UNIT_SECONDS, ProcedureDriver, Session
from heat_io.drivers.slots import Slots
from heat_io.messaging import InProcessBus

PROJECT = "OS::Keystone::Project"
PROPS = {
    "name": None,
    "domain": "default",
    "description": "",
    "enabled": True,
    "parent": None,
    "tags": [],
}


def refusal(status: int, *, maybe_done: bool = False) -> ServiceError:
    return ServiceError(
        "identity", status, "no", error_class="X", text=f"no ({status})", maybe_done=maybe_done
    )


@dataclass
class Keystone:
    """Projects by id. `before` and `after` a request took effect may raise or wait."""

    before: Callable[[HttpCall], Any] = lambda call: None
    after: Callable[[HttpCall], Any] = lambda call: None
    seconds: float = 0.0
    slow_method: str | None = None
    """the only method that takes these seconds, before and after its effect"""
    projects: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    delays: list[int] = field(default_factory=list)
    ids: Any = field(default_factory=lambda: itertools.count(1))

    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        self.asked.append(f"{call.method} {call.path}")
        seconds = self.seconds if self.slow_method in (None, call.method) else 0
        await trio.sleep(seconds)
        self.before(call)
        answer = self._answer(call)
        self.after(call)
        await trio.sleep(seconds)
        if answer.status >= 400:
            raise refusal(answer.status)
        return answer

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        self.delays.append(attempt)
        return 1.0

    def _answer(self, call: HttpCall) -> HttpAnswer:
        if call.service != "identity":
            raise ServiceError(call.service, 404, "", error_class="EndpointNotFound", text="")
        if call.path.startswith("/v3/domains"):
            return HttpAnswer(200, {"domain": {"id": "default"}})
        if call.method == "POST":
            project = {"id": f"id-{next(self.ids)}", "tags": [], **call.body["project"]}
            self.projects[project["id"]] = project
            return HttpAnswer(201, {"project": project})
        if call.path == "/v3/projects":
            return HttpAnswer(200, {"projects": list(self.projects.values())})
        found = self.projects.get(call.path.rsplit("/", 1)[-1])
        if found is None:
            return HttpAnswer(404)
        if call.method == "DELETE":
            del self.projects[found["id"]]
        return HttpAnswer(200, {"project": found})

    @property
    def created(self) -> int:
        return self.asked.count("POST /v3/projects")


async def never_stop(stack: StackRecord, context: RequestContext) -> bool:
    raise AssertionError("no nested stack is to be cut off")


class Stage:
    """Runs actions of one held row."""

    def __init__(self, database: Database, site: Site) -> None:
        self.site = site
        self.database = database
        self.keystone = Keystone()
        self.writes = writes = NodeWrites(
            MINE, lambda: NOW, site.uuid, lambda connection, engine_id: True
        )
        procedures = ProcedureDriver(self.keystone, lambda size: bytes(size))
        children = ChildParts(
            database, InProcessBus(), NoStoredCredentials(), lambda size: bytes(size), never_stop
        )
        self.actions = Actions(database, writes, procedures, 2, children)
        self.without_resume = Actions(database, writes, procedures, 2, children, goes_on=False)
        self.stack = site.stack()

    def held(self, **fields: Any) -> ResourceRecord:
        values: dict[str, Any] = {
            "engine_id": MINE,
            "action": Action.CREATE,
            "status": Status.IN_PROGRESS,
            "physical_id": None,
            "properties": {},
        }
        return self.site.row(self.stack, **values | fields)

    def plan(self, type_name: str | type[ResourceType] = PROJECT, **fields: Any) -> Plan:
        known = isinstance(type_name, str)
        values: dict[str, Any] = {
            "type_name": type_name if known else type_name.name,
            "resource_class": registry.find(type_name) if known else type_name,
            "template_id": self.stack.raw_template_id,
            "stored_properties": {},
            "metadata": {},
            "props": PROPS,
        }
        return Plan(**values | fields)

    async def run(
        self,
        row: ResourceRecord,
        action: Action,
        plan: Plan | None = None,
        *,
        resume: bool = False,
    ) -> ProcedureFinished:
        plan = plan or self.plan()
        effect = RunProcedure(row, action, plan, resume)
        finished, self.claimed = await self.actions.run(
            effect, self.stack, plan, None, None, CONTEXT
        )
        self.row = self.claimed.row
        return finished


@pytest.fixture
def stage(database: Database, site: Site) -> Stage:
    return Stage(database, site)


DONE = ProcedureFinished(Outcome.DONE)


# --- create ------------------------------------------------------------------------------------


async def test_a_create_stores_what_it_made(stage: Stage, autojump_clock: MockClock) -> None:
    row = stage.held()
    assert await stage.run(row, Action.CREATE) == DONE
    assert stage.row.physical_id == "id-1"
    stored = stage.site.stored(row)
    assert stored is not None
    assert stored.physical_id == "id-1"
    assert stored.atomic_key == row.atomic_key


@pytest.mark.parametrize("trouble", [ConnectionLost("lost"), LanesClosed("closed")])
async def test_trouble_with_the_database_is_no_failure_of_the_resource(
    stage: Stage, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    async def fail(self: ClaimedRow, request: StoreCreated) -> None:
        raise trouble

    row = stage.held()
    with monkeypatch.context() as patch:
        patch.setattr(ClaimedRow, "created", fail)
        with pytest.raises(type(trouble)):
            await stage.run(row, Action.CREATE)
    # Whoever goes on finds what was made.
    assert stage.site.stored(row) == row
    assert await stage.run(row, Action.CREATE, resume=True) == DONE
    assert (stage.row.physical_id, stage.keystone.created) == ("id-1", 1)


async def test_where_nobody_goes_on_what_was_made_meanwhile_stays_owed(
    stage: Stage, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(self: ClaimedRow, request: StoreCreated) -> None:
        raise ConnectionLost("lost")

    stage.actions = stage.without_resume
    row = stage.held()
    with monkeypatch.context() as patch:
        patch.setattr(ClaimedRow, "created", fail)
        finished = await stage.run(row, Action.CREATE)
    assert finished == ProcedureFinished(Outcome.FAILED, "ConnectionLost: resources.a: lost")
    assert stage.row.data == {"search_owed": "True"}
    # A delete looks for it.
    held = replace(stage.row, action=Action.DELETE, status=Status.IN_PROGRESS)
    stage.site.write(
        lambda c: resources.update(c, row.id, {"action": held.action, "status": held.status})
    )
    assert await stage.run(held, Action.DELETE) == DONE
    assert stage.keystone.projects == {}


async def test_a_lost_answer_is_looked_for(stage: Stage, autojump_clock: MockClock) -> None:
    def lose(call: HttpCall) -> None:
        if call.method == "POST":
            raise refusal(0, maybe_done=True)

    stage.keystone.after = lose
    assert await stage.run(stage.held(), Action.CREATE) == DONE
    assert (stage.row.physical_id, stage.keystone.created) == ("id-1", 1)


async def test_an_answer_that_was_lost_before_anything_was_made_is_a_failure(
    stage: Stage, autojump_clock: MockClock
) -> None:
    def lose(call: HttpCall) -> None:
        if call.method == "POST":
            raise refusal(503, maybe_done=True)

    stage.keystone.before = lose
    finished = await stage.run(stage.held(), Action.CREATE)
    assert finished == ProcedureFinished(Outcome.FAILED, "X: resources.a: no (503)")
    assert stage.row.physical_id is None


def broken() -> ServiceError:
    """The service went away while it was at a request."""
    return ServiceError(
        "identity", 0, "reset", error_class="ConnectFailure", text="reset", maybe_done=True
    )


async def test_a_create_whose_service_went_away_before_it_made_anything_begins_anew(
    stage: Stage, autojump_clock: MockClock
) -> None:
    posts = itertools.count()

    def lose(call: HttpCall) -> None:
        if call.method == "POST" and next(posts) == 0:
            raise broken()

    stage.keystone.before = lose
    began = trio.current_time()
    assert await stage.run(stage.held(), Action.CREATE) == DONE
    assert list(stage.keystone.projects) == [stage.row.physical_id]
    asked = [one for one in stage.keystone.asked if one.endswith("/v3/projects")]
    assert asked == ["POST /v3/projects", "GET /v3/projects", "POST /v3/projects"]
    # The service had time to end what it was at before it was asked what is there.
    assert trio.current_time() - began >= 2


async def test_a_create_is_not_begun_for_ever(stage: Stage, autojump_clock: MockClock) -> None:
    def lose(call: HttpCall) -> None:
        if call.method == "POST":
            raise broken()

    stage.keystone.before = lose
    finished = await stage.run(stage.held(), Action.CREATE)
    assert finished.outcome is Outcome.FAILED
    assert stage.keystone.asked.count("POST /v3/projects") == 3
    assert stage.row.data == {}


async def test_what_was_made_by_a_service_that_went_away_is_found(
    stage: Stage, autojump_clock: MockClock
) -> None:
    def lose(call: HttpCall) -> None:
        if call.method == "POST":
            raise broken()

    stage.keystone.after = lose
    assert await stage.run(stage.held(), Action.CREATE) == DONE
    assert (stage.row.physical_id, stage.keystone.created) == ("id-1", 1)


async def test_who_is_cut_off_before_the_search_owes_it(
    stage: Stage, autojump_clock: MockClock
) -> None:
    def lose(call: HttpCall) -> None:
        if call.method == "POST":
            raise broken()

    stage.keystone.after = lose
    row = stage.held()
    with trio.move_on_after(1) as scope:
        await stage.run(row, Action.CREATE)
    assert scope.cancelled_caught
    assert len(stage.keystone.projects) == 1
    stored = stage.site.stored(row)
    assert stored is not None
    assert stored.data == {SEARCH_OWED: "True"}


async def test_an_update_whose_service_went_away_is_sent_again(
    stage: Stage, autojump_clock: MockClock
) -> None:
    patches = itertools.count()

    def lose(call: HttpCall) -> None:
        if call.method == "PATCH" and next(patches) == 0:
            raise broken()

    stage.keystone.after = lose
    stage.keystone.projects["id-1"] = {"id": "id-1", "description": "old"}
    row = stage.held(action=Action.UPDATE, physical_id="id-1")
    plan = stage.plan(change=a_change(description="new"))
    assert await stage.run(row, Action.UPDATE, plan) == DONE
    assert stage.keystone.asked == ["PATCH /v3/projects/id-1"] * 2


async def test_a_plain_refusal_is_not_looked_into(stage: Stage, autojump_clock: MockClock) -> None:
    def refuse(call: HttpCall) -> None:
        if call.method == "POST":
            raise refusal(403)

    stage.keystone.before = refuse
    finished = await stage.run(stage.held(), Action.CREATE)
    assert (finished.outcome, finished.may_retry) == (Outcome.FAILED, False)
    assert stage.keystone.asked == ["POST /v3/projects"]


async def test_a_request_that_never_comes_back_is_looked_for(
    stage: Stage, autojump_clock: MockClock
) -> None:
    stage.keystone.seconds = UNIT_SECONDS - 1
    stage.keystone.slow_method = "POST"
    assert await stage.run(stage.held(), Action.CREATE) == DONE
    assert (stage.row.physical_id, stage.keystone.created) == ("id-1", 1)


async def test_a_conflict_may_be_tried_again(stage: Stage, autojump_clock: MockClock) -> None:
    def refuse(call: HttpCall) -> None:
        raise refusal(409)

    stage.keystone.before = refuse
    finished = await stage.run(stage.held(), Action.CREATE)
    assert (finished.outcome, finished.may_retry) == (Outcome.FAILED, True)


def test_what_may_be_tried_again() -> None:
    # rules/g-events-status.md#25
    assert may_retry(ResourceInError(resource_status="ERROR", status_reason="x"))
    assert may_retry(refusal(409))
    assert not may_retry(refusal(500))
    assert not may_retry(ValueError())


async def test_a_create_needs_its_values(stage: Stage, autojump_clock: MockClock) -> None:
    finished = await stage.run(stage.held(), Action.CREATE, stage.plan(props=None))
    assert "AssertionError: resources.a: a create needs the values" in finished.reason


async def test_a_create_that_is_tried_again_makes_a_new_object(
    stage: Stage, autojump_clock: MockClock
) -> None:
    assert await stage.run(stage.held(physical_id="removed"), Action.CREATE) == DONE
    assert stage.row.physical_id == "id-1"


# --- resuming a create -------------------------------------------------------------------------


async def test_a_stored_id_is_only_finished(stage: Stage, autojump_clock: MockClock) -> None:
    row = stage.held(physical_id="id-7")
    assert await stage.run(row, Action.CREATE, resume=True) == DONE
    assert stage.keystone.asked == []


async def test_an_object_whose_id_was_lost_is_found(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held()
    await stage.run(row, Action.CREATE)
    stage.site.write(lambda c: resources.update(c, row.id, {"physical_id": None}))
    assert await stage.run(row, Action.CREATE, resume=True) == DONE
    assert (stage.row.physical_id, stage.keystone.created) == ("id-1", 1)


async def test_an_object_that_was_not_made_is_made(stage: Stage, autojump_clock: MockClock) -> None:
    assert await stage.run(stage.held(), Action.CREATE, resume=True) == DONE
    assert (stage.row.physical_id, stage.keystone.created) == ("id-1", 1)


async def test_a_repeatable_create_begins_again(stage: Stage, autojump_clock: MockClock) -> None:
    props = {"value": "v", "fail": False, "wait_secs": 0, "action_wait_secs": None}
    row = stage.held(physical_id="old", data={"value": "u"})
    plan = stage.plan(TEST, props=props)
    assert await stage.run(row, Action.CREATE, plan, resume=True) == DONE
    assert stage.row.data == {"value": "v"}


class Blind(ResourceType):
    """Cannot tell what it made, and must not make it twice."""

    name = "Blind"


async def test_what_cannot_be_found_and_not_repeated_cannot_be_resumed(
    stage: Stage, autojump_clock: MockClock
) -> None:
    finished = await stage.run(stage.held(), Action.CREATE, stage.plan(Blind), resume=True)
    assert finished == ProcedureFinished(Outcome.UNRESUMABLE)


async def test_a_cancel_does_not_cut_the_search_off(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held()
    await stage.run(row, Action.CREATE)
    stage.site.write(lambda c: resources.update(c, row.id, {"physical_id": None}))
    stage.keystone.seconds = 1
    with trio.CancelScope() as scope:
        scope.cancel()
        await stage.run(row, Action.CREATE, resume=True)
    stored = stage.site.stored(row)
    assert stored is not None
    assert stored.physical_id == "id-1"


async def test_a_search_without_an_end_is_a_failure_and_makes_nothing(
    stage: Stage, autojump_clock: MockClock
) -> None:
    stage.keystone.seconds = REMOVE_STRAY_SECONDS + 1
    finished = await stage.run(stage.held(), Action.CREATE, resume=True)
    assert finished.outcome is Outcome.FAILED
    assert "UnitTimedOut" in finished.reason
    assert stage.keystone.created == 0


# --- update ------------------------------------------------------------------------------------


def a_change(**after: Any) -> Change:
    values = {"fail": False, "wait_secs": 0, "action_wait_secs": None, **after}
    return Change(changed=frozenset(after), before={}, after=values)


async def test_an_update_carries_its_change_out(stage: Stage, autojump_clock: MockClock) -> None:
    row = stage.held(action=Action.UPDATE, physical_id="p", data={"value": "u"})
    plan = stage.plan(TEST, change=a_change(value="v"))
    assert await stage.run(row, Action.UPDATE, plan) == DONE
    assert stage.row.data == {"value": "v"}


async def test_an_update_needs_its_change(stage: Stage, autojump_clock: MockClock) -> None:
    finished = await stage.run(stage.held(), Action.UPDATE, stage.plan(TEST))
    assert "an update needs the change" in finished.reason


async def test_a_replacement_that_was_decided_runs_nothing(
    stage: Stage, autojump_clock: MockClock
) -> None:
    plan = stage.plan(replace_reason="The Resource a requires replacement.")
    finished = await stage.run(stage.held(physical_id="p"), Action.UPDATE, plan)
    assert finished == ProcedureFinished(Outcome.REPLACE, "The Resource a requires replacement.")
    assert stage.keystone.asked == []


class Rigid(ResourceType):
    name = "Rigid"

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        raise UpdateReplace("a")

    async def prepare_replace(self, io: ProcedureIO) -> None:
        if self.view.metadata.get("stuck"):
            raise ValueError("no room")
        await io.store(Datum("room", "made"))


async def test_a_type_may_ask_for_a_replacement_while_it_updates(
    stage: Stage, autojump_clock: MockClock
) -> None:
    plan = stage.plan(Rigid, change=a_change(value="v"))
    finished = await stage.run(stage.held(physical_id="p"), Action.UPDATE, plan)
    assert finished == ProcedureFinished(Outcome.REPLACE, "The Resource a requires replacement.")
    assert stage.row.data == {"room": "made"}  # rules/h-updates.md#15


async def test_what_is_to_be_replaced_makes_room_and_nothing_more(
    stage: Stage, autojump_clock: MockClock
) -> None:
    effect = RunProcedure(
        stage.held(physical_id="p"), Action.UPDATE, None, resume=False, makes_room=True
    )
    plan = stage.plan(Rigid)
    finished, claimed = await stage.actions.run(effect, stage.stack, plan, None, None, CONTEXT)
    assert (finished, claimed.row.data) == (DONE, {"room": "made"})


async def test_room_that_cannot_be_made_is_a_failure(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held(physical_id="p", metadata={"stuck": True})
    plan = stage.plan(Rigid, replace_reason="The Resource a requires replacement.")
    finished = await stage.run(row, Action.UPDATE, plan)
    assert finished == ProcedureFinished(Outcome.FAILED, "ValueError: resources.a: no room")


# --- delete ------------------------------------------------------------------------------------


async def test_a_delete_removes_the_object(stage: Stage, autojump_clock: MockClock) -> None:
    await stage.run(stage.held(), Action.CREATE)
    row = stage.held(action=Action.DELETE, physical_id="id-1")
    assert await stage.run(row, Action.DELETE) == DONE
    assert stage.keystone.projects == {}


async def test_what_is_not_there_is_deleted(stage: Stage, autojump_clock: MockClock) -> None:
    row = stage.held(action=Action.DELETE, physical_id="gone")
    assert await stage.run(row, Action.DELETE) == DONE


async def test_what_is_retained_is_left_alone(stage: Stage, autojump_clock: MockClock) -> None:
    # rules/g-events-status.md#29
    row = stage.held(action=Action.DELETE, physical_id="id-1")
    assert await stage.run(row, Action.DELETE, stage.plan(retain=True)) == DONE
    assert stage.keystone.asked == []


@pytest.mark.parametrize(("conflicts", "outcome"), [(2, Outcome.DONE), (3, Outcome.FAILED)])
async def test_a_delete_in_conflict_is_tried_again_after_pauses(
    stage: Stage, autojump_clock: MockClock, conflicts: int, outcome: Outcome
) -> None:
    # rules/g-events-status.md#26; the limit is 2 here
    left = iter(range(conflicts))

    def refuse(call: HttpCall) -> None:
        if call.method == "DELETE" and next(left, None) is not None:
            raise refusal(409)

    await stage.run(stage.held(), Action.CREATE)
    stage.keystone.before = refuse
    row = stage.held(action=Action.DELETE, physical_id="id-1")
    began = trio.current_time()
    finished = await stage.run(row, Action.DELETE)
    assert finished.outcome is outcome
    assert trio.current_time() - began == pytest.approx(2 + 4)


async def test_other_refusals_of_a_delete_are_failures_at_once(
    stage: Stage, autojump_clock: MockClock
) -> None:
    def refuse(call: HttpCall) -> None:
        raise refusal(403)

    stage.keystone.before = refuse
    row = stage.held(action=Action.DELETE, physical_id="id-1")
    finished = await stage.run(row, Action.DELETE)
    assert finished.outcome is Outcome.FAILED


async def test_a_pause_grows_and_has_a_random_part(autojump_clock: MockClock) -> None:
    waits = []
    for byte in (0x00, 0xFF):
        driver = ProcedureDriver(Keystone(), lambda size, byte=byte: bytes([byte]) * size)
        for attempt in (1, 3):
            began = trio.current_time()
            await driver.run(pause(attempt), Session(_Nowhere()))
            waits.append(trio.current_time() - began)
    assert waits == pytest.approx([2, 8, 4, 10], abs=1e-6)


class _Nowhere:
    async def created(self, request: Any) -> None:
        raise AssertionError("a pause makes nothing")

    async def store(self, request: Any) -> None:
        raise AssertionError("a pause stores nothing")

    async def settle(self) -> None:
        await trio.lowlevel.checkpoint()


# --- check -------------------------------------------------------------------------------------


async def test_a_check_looks_at_what_is_there(stage: Stage, autojump_clock: MockClock) -> None:
    seen: list[str | None] = []

    class Checked(ResourceType):
        name = "Checked"

        async def start_check(self, io: ProcedureIO) -> None:
            seen.append(self.view.physical_id)

    assert await stage.run(stage.held(physical_id="p"), Action.CHECK, stage.plan(Checked)) == DONE
    assert seen == ["p"]


async def test_what_was_never_made_cannot_be_checked(
    stage: Stage, autojump_clock: MockClock
) -> None:
    # rules/g-events-status.md#4
    finished = await stage.run(stage.held(), Action.CHECK)
    assert finished.reason == ("Error: resources.a: Can not check a, resource not created yet.")


async def test_other_actions_are_not_built_yet(stage: Stage, autojump_clock: MockClock) -> None:
    finished = await stage.run(stage.held(), Action.SUSPEND)
    assert "no procedure for SUSPEND yet" in finished.reason


# --- settling ----------------------------------------------------------------------------------


async def test_settling_finds_what_a_cut_create_made(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held()
    await stage.run(row, Action.CREATE)
    stage.site.write(lambda c: resources.update(c, row.id, {"physical_id": None}))
    with trio.CancelScope() as scope:
        scope.cancel()  # told to stop: what was made must be known all the same
        await stage.run(row, Action.INIT, resume=True)
    assert stage.row.physical_id == "id-1"
    stored = stage.site.stored(row)
    assert stored is not None
    assert stored.physical_id == "id-1"
    assert stage.keystone.created == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"action": Action.UPDATE, "physical_id": "p"},
        {"action": Action.UPDATE},
        {"physical_id": "p"},
    ],
)
async def test_settling_has_nothing_to_look_for_elsewhere(
    stage: Stage, autojump_clock: MockClock, fields: dict[str, Any]
) -> None:
    assert await stage.run(stage.held(**fields), Action.INIT, resume=True) == DONE
    assert stage.keystone.asked == []


async def test_settling_cannot_look_for_what_cannot_be_found(
    stage: Stage, autojump_clock: MockClock
) -> None:
    assert await stage.run(stage.held(), Action.INIT, stage.plan(Blind), resume=True) == DONE


async def test_settling_makes_nothing(stage: Stage, autojump_clock: MockClock) -> None:
    assert await stage.run(stage.held(), Action.INIT, resume=True) == DONE
    assert (stage.row.physical_id, stage.keystone.created) == (None, 0)


# --- a search without an answer ----------------------------------------------------------------


def silent(call: HttpCall) -> None:
    """The service can't be asked; what it was asked before may have taken effect."""
    raise refusal(503)


async def cut_create_in_silence(stage: Stage) -> ResourceRecord:
    """A row whose project is there, its id is not known, and the search got no answer."""
    row = stage.held()
    await stage.run(row, Action.CREATE)
    stage.site.write(lambda c: resources.update(c, row.id, {"physical_id": None}))
    stage.keystone.before = silent
    assert await stage.run(row, Action.INIT, resume=True) == DONE
    assert stage.row.data == {SEARCH_OWED: "True"}
    stage.keystone.before = lambda call: None
    return stage.row


async def test_a_delete_makes_up_for_a_search_that_got_no_answer(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = await cut_create_in_silence(stage)
    assert len(stage.keystone.projects) == 1
    assert await stage.run(row, Action.DELETE) == DONE
    assert stage.keystone.projects == {}
    assert stage.row.data == {}


async def test_a_delete_fails_while_the_search_gets_no_answer(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = await cut_create_in_silence(stage)
    stage.keystone.before = silent
    finished = await stage.run(row, Action.DELETE)
    assert finished.outcome is Outcome.FAILED
    assert stage.row.data == {SEARCH_OWED: "True"}


async def test_a_new_create_makes_up_for_a_search_that_got_no_answer(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = await cut_create_in_silence(stage)
    assert await stage.run(row, Action.CREATE) == DONE
    assert (stage.row.physical_id, stage.keystone.created) == ("id-1", 1)
    assert stage.row.data == {}


async def test_an_answered_search_that_finds_nothing_is_not_owed_any_more(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = await cut_create_in_silence(stage)
    stage.keystone.projects.clear()
    assert await stage.run(row, Action.DELETE) == DONE
    assert stage.row.data == {}


async def test_a_lost_answer_that_cannot_be_looked_for_is_owed(
    stage: Stage, autojump_clock: MockClock
) -> None:
    def lose(call: HttpCall) -> None:
        if call.method == "POST":
            stage.keystone.before = silent
            raise refusal(0, maybe_done=True)

    stage.keystone.after = lose
    finished = await stage.run(stage.held(), Action.CREATE)
    assert finished.outcome is Outcome.FAILED
    assert stage.row.data == {SEARCH_OWED: "True"}


async def test_properties_that_are_not_valid_any_more_made_nothing(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held(properties={"enabled": "perhaps"})
    assert await stage.run(row, Action.INIT, resume=True) == DONE
    assert stage.row.data == {}
    assert "GET /v3/projects" not in stage.keystone.asked


@pytest.mark.parametrize(("resume", "data"), [(True, {SEARCH_OWED: "True"}), (False, {})])
async def test_nobody_who_may_ask_leaves_the_search_owed(
    stage: Stage, autojump_clock: MockClock, resume: bool, data: dict[str, str]
) -> None:
    effect = RunProcedure(stage.held(), Action.INIT, None, resume)
    row = await stage.actions.owe_search(effect, stage.stack, stage.plan())
    assert row.data == data


# --- a lost lock -------------------------------------------------------------------------------


def steal(stage: Stage, row: ResourceRecord) -> Callable[[HttpCall], None]:
    """Another engine takes the row over while the project is made."""

    def stolen(call: HttpCall) -> None:
        if call.method == "POST":
            stage.site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))

    return stolen


async def test_an_object_whose_row_was_taken_meanwhile_is_removed(
    stage: Stage, autojump_clock: MockClock
) -> None:
    # DESIGN: invariant 4
    row = stage.held()
    stage.keystone.after = steal(stage, row)
    assert await stage.run(row, Action.CREATE) == ProcedureFinished(Outcome.LOCK_LOST)
    assert (stage.keystone.created, stage.keystone.projects) == (1, {})
    stored = stage.site.stored(row)
    assert stored is not None
    assert (stored.engine_id, stored.physical_id) == (OTHER, None)


@pytest.mark.parametrize(
    ("heir", "projects"),
    [
        ({"physical_id": "id-1"}, ["id-1"]),
        ({"physical_id": "id-1", "engine_id": None, "status": Status.COMPLETE}, ["id-1"]),
        ({"physical_id": "other"}, []),
        ({"engine_id": None, "status": Status.FAILED}, []),
    ],
)
async def test_what_the_next_holder_has_found_is_no_stray(
    stage: Stage, autojump_clock: MockClock, heir: dict[str, Any], projects: list[str]
) -> None:
    row = stage.held()
    stage.keystone.after = steal(stage, row)
    async with trio.open_nursery() as nursery:

        async def look() -> None:
            await trio.sleep(5)
            stage.site.write(lambda c: resources.update(c, row.id, heir))

        nursery.start_soon(look)
        assert await stage.run(row, Action.CREATE) == ProcedureFinished(Outcome.LOCK_LOST)
    assert list(stage.keystone.projects) == projects


async def test_what_was_made_for_a_row_that_is_gone_is_removed(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held()

    def removed(call: HttpCall) -> None:
        if call.method == "POST":
            stage.site.write(lambda c: resource_removal.delete_rows(c, [row.id]))

    stage.keystone.after = removed
    assert await stage.run(row, Action.CREATE) == ProcedureFinished(Outcome.LOCK_LOST)
    assert stage.keystone.projects == {}


@pytest.mark.parametrize(("status", "reported"), [(404, False), (500, True)])
async def test_a_stray_object_that_cannot_be_removed_is_reported(
    stage: Stage,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
    status: int,
    reported: bool,
) -> None:
    def refuse(call: HttpCall) -> None:
        if call.method == "DELETE":
            raise refusal(status)

    row = stage.held()
    stage.keystone.after = steal(stage, row)
    stage.keystone.before = refuse
    assert await stage.run(row, Action.CREATE) == ProcedureFinished(Outcome.LOCK_LOST)
    messages = [record.message for record in caplog.records]
    assert ("a stray object could not be removed" in messages) is reported


async def test_data_that_cannot_be_stored_leaves_no_stray(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held(action=Action.UPDATE, physical_id="p")
    stage.site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    plan = stage.plan(TEST, change=a_change(value="v"))
    assert await stage.run(row, Action.UPDATE, plan) == ProcedureFinished(Outcome.LOCK_LOST)
    assert stage.keystone.asked == []


async def test_removing_a_stray_may_keep_notes_but_makes_nothing(
    stage: Stage, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    removed: list[Mapping[str, str]] = []

    class Careful(ResourceType):
        name = "Careful"
        service = "identity"
        makes: ClassVar[bool] = False

        async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
            await io.post("identity", "/v3/projects", {"project": {"name": "x"}})
            await io.created("id-1")

        async def start_delete(self, io: ProcedureIO) -> None:
            await io.store()
            if self.makes:
                await io.created("another")
            removed.append({"id": self.view.physical_id or ""})

    row = stage.held()
    stage.keystone.after = steal(stage, row)
    finished = await stage.run(row, Action.CREATE, stage.plan(Careful))
    assert finished.outcome is Outcome.LOCK_LOST
    assert removed == [{"id": "id-1"}]
    Careful.makes = True
    again = stage.held()
    stage.keystone.after = steal(stage, again)
    await stage.run(again, Action.CREATE, stage.plan(Careful))
    assert "a stray object could not be removed" in [r.message for r in caplog.records]


# --- lost commits ------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LOST_AFTER_COMMIT, Fault.CONFLICT])
async def test_a_lost_commit_loses_no_id(
    stage: Stage, autojump_clock: MockClock, faults: Faults, fault: Fault
) -> None:
    faults.at_commit(fault)
    row = stage.held()
    assert await stage.run(row, Action.CREATE) == DONE
    assert faults.left == 0
    stored = stage.site.stored(row)
    assert stored is not None
    assert stored.physical_id == "id-1" == stage.row.physical_id
    assert stage.keystone.created == 1


# --- slots -------------------------------------------------------------------------------------


async def test_an_action_that_waits_gives_its_slot_up(
    stage: Stage, autojump_clock: MockClock
) -> None:
    slots = Slots(1)
    slot = slots.slot()
    plan = stage.plan(TEST, change=a_change(value="v", wait_secs=5))
    row = stage.held(action=Action.UPDATE, physical_id="p")
    effect = RunProcedure(row, Action.UPDATE, plan, False)

    async def act(stack: StackRecord) -> None:
        async with slot.held():
            finished, _ = await stage.actions.run(effect, stack, plan, None, slot, CONTEXT)
            assert finished == DONE

    async with trio.open_nursery() as nursery:
        nursery.start_soon(act, replace(stage.stack))
        await trio.sleep(2)
        assert slots.in_use == 0


# --- what is made within the process -----------------------------------------------------------


class Inner(ResourceType):
    """Asks nobody; waits `seconds` once it is made, and fails after `fails`."""

    name = "Inner"
    seconds: ClassVar[float] = 0
    fails: ClassVar[bool] = False

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        await io.created("x", [Datum("value", "v")])

    async def finish_create(self, io: ProcedureIO) -> None:
        await io.sleep(self.seconds)
        if self.fails:
            raise ValueError("no")


async def test_an_id_of_this_process_is_stored_with_the_outcome(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held()
    plan = stage.plan(Inner)
    assert await stage.run(row, Action.CREATE, plan) == DONE
    assert (stage.row.physical_id, stage.row.data) == ("x", {"value": "v"})
    assert stage.site.stored(row) == row
    outcome = StoreOutcome(
        stage.row, Action.CREATE, Status.COMPLETE, "state changed", plan, completed=True
    )
    write = stage.writes.outcome(outcome, stage.stack, "Inner", stage.claimed.owed)
    verdict = await stage.database.submit(stage.stack.id, write)
    assert isinstance(verdict, Applied)
    stored = stage.site.stored(row)
    assert stored is not None
    assert (stored.physical_id, stored.data["value"]) == ("x", "v")
    assert (stored.status, stored.engine_id) == (Status.COMPLETE, None)


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [({"seconds": 5}, Outcome.DONE), ({"fails": True}, Outcome.FAILED)],
)
async def test_an_id_of_this_process_is_stored_before_a_wait_and_after_a_failure(
    stage: Stage, autojump_clock: MockClock, changed: Mapping[str, Any], outcome: Outcome
) -> None:
    row = stage.held()
    finished = await stage.run(row, Action.CREATE, stage.plan(type("Other", (Inner,), changed)))
    assert finished.outcome is outcome
    assert stage.claimed.owed is None
    stored = stage.site.stored(row)
    assert stored is not None
    assert (stored.physical_id, stored.data) == ("x", {"value": "v"})


async def test_an_id_of_this_process_is_not_stored_in_a_row_of_somebody_else(
    stage: Stage, autojump_clock: MockClock
) -> None:
    row = stage.held()
    stage.site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    plan = stage.plan(type("Other", (Inner,), {"seconds": 1}))
    finished = await stage.run(row, Action.CREATE, plan)
    assert finished.outcome is Outcome.LOCK_LOST
    stored = stage.site.stored(row)
    assert stored is not None
    assert stored.physical_id is None
