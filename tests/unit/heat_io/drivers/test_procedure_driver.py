"""Procedures under Trio: what is cut off, what is not, and what they are told."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from heat_core.isolation import Postponed
from heat_core.procedure import (
    CreateChild,
    Datum,
    Entropy,
    HttpAnswer,
    HttpCall,
    ProcedureIO,
    ServiceError,
    StoreCreated,
    StoreData,
)
from heat_io.drivers.procedure_driver import (
    UNIT_SECONDS,
    LockLost,
    NoRow,
    ProcedureDriver,
    Session,
    UnitTimedOut,
)
from heat_io.drivers.slots import Slots
from heat_io.patience import PATIENCE_SECONDS

IO = ProcedureIO()


def refusal(status: int = 409) -> ServiceError:
    return ServiceError("s", status, "no", error_class="Conflict", text="no")


@dataclass
class ScriptedCloud:
    """Takes a second for each request; `answer` may raise."""

    answer: Callable[[HttpCall], Any] = lambda call: {"path": call.path}
    seconds: float = 1.0
    began: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    credentials: list[Any] = field(default_factory=list)
    delays: list[tuple[str | None, int, float | None]] = field(default_factory=list)

    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        self.credentials.append(credentials)
        self.began.append(f"{call.method} {call.path}")
        await trio.sleep(self.seconds)
        body = self.answer(call)
        self.ended.append(f"{call.method} {call.path}")
        return HttpAnswer(200, body)

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        self.delays.append((service, attempt, hint_seconds))
        return 10.0


@dataclass
class Row:
    """A claimed row whose lock may be lost."""

    lost: bool = False
    seconds: float = 0.0
    written: list[StoreCreated | StoreData] = field(default_factory=list)
    checked: int = 0
    settled: int = 0

    async def created(self, request: StoreCreated) -> None:
        await self._write(request)

    async def store(self, request: StoreData) -> None:
        await self._write(request)

    async def check_held(self) -> None:
        await trio.lowlevel.checkpoint()
        self.checked += 1
        if self.lost:
            raise LockLost("row 1")

    async def settle(self) -> None:
        await trio.lowlevel.checkpoint()
        self.settled += 1

    async def _write(self, request: StoreCreated | StoreData) -> None:
        await trio.sleep(self.seconds)
        if self.lost:
            raise LockLost("row 1")
        self.written.append(request)


@dataclass
class Stage:
    """A driver with what it works on."""

    cloud: ScriptedCloud = field(default_factory=ScriptedCloud)
    row: Row = field(default_factory=Row)
    patience_seconds: float = 0.0

    async def run(self, procedure: Coroutine[Any, Any, Any], *, slots: Slots | None = None) -> Any:
        driver = ProcedureDriver(self.cloud, lambda size: bytes(range(size)))
        slot = None if slots is None else slots.slot()
        session = Session(self.row, "credentials", slot, patience_seconds=self.patience_seconds)
        if slot is None:
            return await driver.run(procedure, session)
        async with slot.held():
            return await driver.run(procedure, session)


@pytest.fixture
def stage() -> Stage:
    return Stage()


# --- answers -----------------------------------------------------------------------------------


async def test_requests_are_answered_one_by_one(stage: Stage, autojump_clock: MockClock) -> None:
    async def procedure() -> Any:
        first = await IO.get("s", "/1")
        second = await IO.get("s", first["path"] + "/2")
        return second["path"], await IO.entropy(3)

    assert await stage.run(procedure()) == ("/1/2", b"\x00\x01\x02")
    assert stage.cloud.credentials == ["credentials"] * 2


async def test_a_refusal_is_thrown_into_the_procedure(
    stage: Stage, autojump_clock: MockClock
) -> None:
    def refuse(call: HttpCall) -> Any:
        raise refusal()

    stage.cloud.answer = refuse

    async def careful() -> str:
        try:
            await IO.get("s", "/1")
        except ServiceError as error:
            return error.error_class
        return ""

    assert await stage.run(careful()) == "Conflict"
    with pytest.raises(ServiceError):
        await stage.run(IO.get("s", "/1"))


async def test_what_the_procedure_raises_comes_out(stage: Stage, autojump_clock: MockClock) -> None:
    async def bad() -> None:
        await IO.get("s", "/1")
        raise ValueError("bad")

    with pytest.raises(ValueError, match="bad"):
        await stage.run(bad())


def postponed_once(end: Callable[[], Any]) -> Callable[[], Any]:
    """Work that meets something hostile at first, and elsewhere comes to its end."""
    calls: list[int] = []

    def work() -> Any:
        calls.append(trio.lowlevel.in_trio_run())
        if len(calls) == 1:
            raise Postponed
        assert not trio.lowlevel.in_trio_run(), "hostile work in the event loop's thread"
        return end()

    return work


async def test_hostile_work_is_done_in_a_thread(stage: Stage) -> None:
    assert await stage.run(IO.evaluate(lambda: 7)) == 7
    assert await stage.run(IO.evaluate(postponed_once(lambda: 8))) == 8


async def test_what_hostile_work_raises_is_thrown_into_the_procedure(stage: Stage) -> None:
    def end() -> None:
        raise ValueError("too costly")

    async def careful() -> str:
        try:
            await IO.evaluate(postponed_once(end))
        except ValueError as error:
            return str(error)
        return ""

    assert await stage.run(careful()) == "too costly"


async def test_a_failure_of_our_own_does_not_go_through_the_procedure(
    stage: Stage, autojump_clock: MockClock
) -> None:
    def broken(call: HttpCall) -> Any:
        raise OSError("ours")

    stage.cloud.answer = broken
    seen: list[str] = []

    async def procedure() -> None:
        try:
            await IO.get("s", "/1")
        except Exception:
            seen.append("caught")

    with pytest.raises(OSError, match="ours"):
        await stage.run(procedure())
    assert seen == []


# --- waiting -----------------------------------------------------------------------------------


async def test_the_cloud_says_how_long_a_poll_waits(
    stage: Stage, autojump_clock: MockClock
) -> None:
    looks = 0

    async def look(io: ProcedureIO) -> int:
        nonlocal looks
        looks += 1
        return looks

    await stage.run(IO.poll(look, until=lambda n: n == 3, service="s", hint_seconds=4.0))
    assert stage.cloud.delays == [("s", 0, 4.0), ("s", 1, 4.0)]
    assert trio.current_time() == pytest.approx(20)


async def test_a_sleep_lasts_as_long_as_it_says(stage: Stage, autojump_clock: MockClock) -> None:
    await stage.run(IO.sleep(3))
    assert trio.current_time() == pytest.approx(3)


async def test_no_time_at_all_is_still_a_checkpoint(
    stage: Stage, autojump_clock: MockClock
) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await stage.run(IO.sleep(0))
    assert scope.cancelled_caught


async def test_waits_hold_no_slot_and_requests_do(stage: Stage, autojump_clock: MockClock) -> None:
    slots = Slots(1)
    busy: list[int] = []

    async def watch() -> None:
        for until in (0.5, 2, 3.5, 4.5):
            await trio.sleep(until - trio.current_time())
            busy.append(slots.in_use)

    async def procedure() -> None:
        await IO.get("s", "/1")  # until 1
        await IO.sleep(2)  # until 3
        await IO.post("s", "/2")  # until 4

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        await stage.run(procedure(), slots=slots)
    assert busy == [1, 0, 1, 0]


# --- cancelling --------------------------------------------------------------------------------


async def create() -> None:
    answer = await IO.post("s", "/objects")
    await IO.entropy(1)
    await IO.created(answer["path"], [Datum("k", "v")])
    await IO.get("s", "/objects/1")


async def test_a_request_that_changes_something_and_its_write_are_one_unit(
    stage: Stage, autojump_clock: MockClock
) -> None:
    stage.row.seconds = 1
    with trio.move_on_after(0.5) as scope:
        await stage.run(create())
    # The cancel came during the request and hit the next read.
    assert scope.cancelled_caught
    assert stage.row.written == [StoreCreated("/objects", (Datum("k", "v"),))]
    assert stage.cloud.ended == ["POST /objects"]
    assert trio.current_time() == pytest.approx(2)


async def test_a_cancel_lands_in_reads_and_sleeps(stage: Stage, autojump_clock: MockClock) -> None:
    for procedure in (IO.get("s", "/1"), IO.sleep(100)):
        began = trio.current_time()
        with trio.move_on_after(0.5) as scope:
            await stage.run(procedure)
        assert scope.cancelled_caught
        assert trio.current_time() - began == pytest.approx(0.5)
    assert stage.cloud.ended == []


async def test_a_cancelled_procedure_is_closed(stage: Stage, autojump_clock: MockClock) -> None:
    closed: list[str] = []

    async def procedure() -> None:
        try:
            await IO.sleep(100)
        except GeneratorExit:
            closed.append("closed")
            raise

    with trio.move_on_after(1):
        await stage.run(procedure())
    assert closed == ["closed"]


async def test_a_unit_has_a_deadline_of_its_own(stage: Stage, autojump_clock: MockClock) -> None:
    stage.cloud.seconds = UNIT_SECONDS + 1
    with pytest.raises(UnitTimedOut):
        await stage.run(create())
    assert trio.current_time() == pytest.approx(UNIT_SECONDS)
    assert stage.row.written == []


async def test_reads_before_and_after_a_unit_do_not_count_for_its_deadline(
    stage: Stage, autojump_clock: MockClock
) -> None:
    stage.cloud.seconds = UNIT_SECONDS - 1

    async def procedure() -> str:
        await IO.get("s", "/1")
        await IO.delete("s", "/1")
        await IO.get("s", "/1")
        await IO.delete("s", "/1")
        return "done"

    assert await stage.run(procedure()) == "done"


# --- the lock ----------------------------------------------------------------------------------


async def test_a_lost_lock_ends_the_procedure_without_its_say(
    stage: Stage, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    stage.row.lost = True
    caught: list[str] = []

    async def procedure() -> None:
        try:
            await create()
        except Exception:
            caught.append("caught")

    with pytest.raises(LockLost):
        await stage.run(procedure())
    assert caught == []
    assert stage.cloud.began == ["POST /objects"]
    (record,) = caplog.records
    assert record.message == "the lock of a row was lost while its object was made"
    assert record.__dict__["fields"] == {"physical_id": "/objects"}


async def test_data_needs_the_lock_too(stage: Stage, autojump_clock: MockClock) -> None:
    await stage.run(IO.store(Datum("k", "v")))
    assert stage.row.written == [StoreData((Datum("k", "v"),))]
    stage.row.lost = True
    with pytest.raises(LockLost):
        await stage.run(IO.store(Datum("k", "w")))


async def test_procedures_that_only_look_must_not_write(
    stage: Stage, autojump_clock: MockClock
) -> None:
    driver = ProcedureDriver(stage.cloud, lambda size: bytes(size))
    for procedure in (IO.created("id"), IO.store(Datum("k", "v"))):
        with pytest.raises(AssertionError, match="only looks"):
            await driver.run(procedure, Session(NoRow()))


# --- nested stacks -----------------------------------------------------------------------------


class Child:
    """Answers what it is asked about the nested stack, after a second."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def ask(self, request: Any) -> Any:
        await trio.sleep(1)
        self.asked.append(request)
        return "child-1"


async def test_requests_about_a_nested_stack_go_to_who_knows_it(
    stage: Stage, autojump_clock: MockClock
) -> None:
    child = Child()
    driver = ProcedureDriver(stage.cloud, lambda size: bytes(size))
    session = Session(stage.row, children=child)
    assert await driver.run(IO.create_child(), session) == "child-1"
    assert child.asked == [CreateChild(None)]


async def test_making_a_nested_stack_is_not_cut_off(
    stage: Stage, autojump_clock: MockClock
) -> None:
    child = Child()
    driver = ProcedureDriver(stage.cloud, lambda size: bytes(size))

    async def create() -> None:
        await IO.created(await IO.create_child())

    with trio.move_on_after(0.5):
        await driver.run(create(), Session(stage.row, children=child))
    assert stage.row.written == [StoreCreated("child-1")]


async def test_where_nobody_knows_nested_stacks_asking_is_a_bug(
    stage: Stage, autojump_clock: MockClock
) -> None:
    with pytest.raises(AssertionError, match="nobody answers"):
        await stage.run(IO.create_child())


# --- side by side ------------------------------------------------------------------------------


async def test_branches_run_side_by_side_and_answer_in_order(
    stage: Stage, autojump_clock: MockClock
) -> None:
    async def slow() -> str:
        await IO.sleep(5)
        return "slow"

    async def quick() -> str:
        await IO.sleep(1)
        return "quick"

    assert await stage.run(IO.all([slow(), quick()])) == ("slow", "quick")
    assert trio.current_time() == pytest.approx(5)
    assert await stage.run(IO.all([])) == ()


async def test_the_first_failure_is_told_once_the_others_have_ended(
    stage: Stage, autojump_clock: MockClock
) -> None:
    ended: list[str] = []

    async def fails(seconds: float, text: str) -> None:
        await IO.sleep(seconds)
        raise ValueError(text)

    async def slow() -> None:
        await IO.sleep(5)
        ended.append("slow")

    async def procedure() -> None:
        await IO.all([slow(), fails(2, "second"), fails(1, "first")])

    with pytest.raises(ValueError, match="first"):
        await stage.run(procedure())
    assert ended == ["slow"]


async def test_branches_may_branch(stage: Stage, autojump_clock: MockClock) -> None:
    async def leaf(text: str) -> str:
        await IO.sleep(1)
        return text

    async def inner() -> Any:
        return await IO.all([leaf("a"), leaf("b")])

    assert await stage.run(IO.all([inner(), leaf("c")])) == (("a", "b"), "c")
    assert trio.current_time() == pytest.approx(1)


async def test_branches_that_wait_hold_the_slot_of_the_whole(
    stage: Stage, autojump_clock: MockClock
) -> None:
    # A branch has no slot of its own to give up; two would give it up twice.
    slots = Slots(1)
    await stage.run(IO.all([IO.sleep(1), IO.sleep(2)]), slots=slots)
    assert slots.in_use == 0
    assert trio.current_time() == pytest.approx(2)


async def test_cancelling_the_whole_cancels_its_branches(
    stage: Stage, autojump_clock: MockClock
) -> None:
    with trio.move_on_after(1) as scope:
        await stage.run(IO.all([IO.sleep(100), IO.get("s", "/1")]))
    assert scope.cancelled_caught
    assert trio.current_time() == pytest.approx(1)


async def test_entropy_is_asked_of_the_source(stage: Stage, autojump_clock: MockClock) -> None:
    async def procedure() -> bytes:
        return await IO.entropy(4)

    assert await stage.run(procedure()) == bytes(range(Entropy(4).size))


# --- the lease ---------------------------------------------------------------------------------


async def two_changes(io: ProcedureIO) -> None:
    await io.post("identity", "/a", {})
    await io.post("identity", "/b", {})


async def looks(io: ProcedureIO) -> None:
    await io.get("identity", "/a")


class Waiting:
    """A lease that lasts for so many looks at it, and comes back after a while."""

    def __init__(self, looks: int = 0) -> None:
        self.looks = looks
        self.waits = 0

    def is_held(self) -> bool:
        self.looks -= 1
        return self.looks >= 0

    async def wait(self) -> None:
        await trio.sleep(30)
        self.waits += 1
        self.looks = 99


def leased(stage: Stage, lease: Waiting) -> ProcedureDriver:
    return ProcedureDriver(stage.cloud, lambda size: bytes(size), lease)


@pytest.mark.parametrize("looks_before", [0, 1])
async def test_a_change_waits_for_the_lease_wherever_it_ends(
    stage: Stage, autojump_clock: MockClock, looks_before: int
) -> None:
    lease = Waiting(looks_before)
    await leased(stage, lease).run(two_changes(IO), Session(stage.row))
    assert (lease.waits, stage.row.checked) == (1, 1)
    assert stage.cloud.ended == ["POST /a", "POST /b"]


async def test_looking_needs_no_lease(stage: Stage, autojump_clock: MockClock) -> None:
    lease = Waiting()
    await leased(stage, lease).run(looks(IO), Session(stage.row))
    assert lease.waits == 0


async def test_a_row_that_was_taken_while_the_lease_was_over_is_left_alone(
    stage: Stage, autojump_clock: MockClock
) -> None:
    stage.row.lost = True
    with pytest.raises(LockLost):
        await leased(stage, Waiting()).run(two_changes(IO), Session(stage.row))
    assert stage.cloud.began == []


async def test_who_waits_for_the_lease_holds_no_place(
    stage: Stage, autojump_clock: MockClock
) -> None:
    slots = Slots(1)
    slot = slots.slot()
    async with trio.open_nursery() as nursery:

        async def act() -> None:
            async with slot.held():
                await leased(stage, Waiting()).run(two_changes(IO), Session(stage.row, slot=slot))

        nursery.start_soon(act)
        await trio.sleep(1)
        assert slots.in_use == 0


# --- services that are away --------------------------------------------------------------------


def away(until: float) -> Callable[[HttpCall], Any]:
    """A service that can't be reached before that moment."""

    def answer(call: HttpCall) -> Any:
        if trio.current_time() < until:
            raise ServiceError(
                "s", 0, "refused", error_class="ConnectFailure", text="refused", away=True
            )
        return {"path": call.path}

    return answer


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_service_gets_time_to_come_back(
    stage: Stage, autojump_clock: MockClock, method: str
) -> None:
    stage.patience_seconds = PATIENCE_SECONDS
    stage.cloud.answer = away(60)

    async def procedure() -> Any:
        return (await IO.request(HttpCall(method, "s", "/1"))).body["path"]

    slots = Slots(1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: stage.run(procedure(), slots=slots))
        await trio.sleep(30.5)
        async with slots.slot().held():  # who waits holds none
            assert trio.current_time() < 35
    assert 60 < trio.current_time() < 70
    assert stage.cloud.ended == [f"{method} /1"]


async def test_patience_has_an_end(stage: Stage, autojump_clock: MockClock) -> None:
    stage.patience_seconds = PATIENCE_SECONDS
    stage.cloud.answer = away(1000)
    with pytest.raises(ServiceError, match="refused"):
        await stage.run(IO.get("s", "/1"))
    assert PATIENCE_SECONDS - 5 < trio.current_time() <= PATIENCE_SECONDS + 1 < UNIT_SECONDS


async def test_who_is_waited_for_has_no_patience(stage: Stage, autojump_clock: MockClock) -> None:
    stage.cloud.answer = away(10)
    with pytest.raises(ServiceError, match="refused"):
        await stage.run(IO.get("s", "/1"))
    assert stage.cloud.began == ["GET /1"]


async def test_what_may_have_been_done_is_not_sent_again(
    stage: Stage, autojump_clock: MockClock
) -> None:
    stage.patience_seconds = PATIENCE_SECONDS

    def lose(call: HttpCall) -> Any:
        raise ServiceError(
            "s", 0, "lost", error_class="ConnectFailure", text="lost", maybe_done=True
        )

    stage.cloud.answer = lose
    with pytest.raises(ServiceError, match="lost"):
        await stage.run(IO.post("s", "/1", {}))
    assert stage.cloud.began == ["POST /1"]
