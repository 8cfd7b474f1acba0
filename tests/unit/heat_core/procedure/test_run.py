"""Stepping procedures by hand."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from heat_core.procedure import Entropy, Finished, ProcedureIO, ProcedureRun, Sleep

IO = ProcedureIO()


async def twice() -> str:
    first = await IO.entropy(1)
    second = await IO.entropy(2)
    return (first + second).hex()


async def nothing() -> str:
    return "at once"


def test_each_step_gives_the_next_request_and_the_last_the_value() -> None:
    run = ProcedureRun(twice())
    assert run.start() == Entropy(1)
    assert run.answer(b"\x01") == Entropy(2)
    assert run.answer(b"\x02\x03") == Finished("010203")


def test_a_procedure_that_asks_nothing_finishes_when_it_starts() -> None:
    assert ProcedureRun(nothing()).start() == Finished("at once")


def test_an_error_is_thrown_where_the_procedure_waits() -> None:
    async def careful() -> str:
        try:
            await IO.sleep(5)
        except OSError as error:
            await IO.sleep(1)
            return f"caught {error}"
        return "slept"

    run = ProcedureRun(careful())
    assert run.start() == Sleep(5)
    assert run.throw(OSError("x")) == Sleep(1)
    assert run.answer(None) == Finished("caught x")

    handled = ProcedureRun(_returns_on_error())
    handled.start()
    assert handled.throw(OSError()) == Finished("gave up")


async def _returns_on_error() -> str:
    try:
        await IO.sleep(1)
    except OSError:
        return "gave up"
    return "slept"


def test_what_the_procedure_raises_comes_out_of_the_step() -> None:
    run = ProcedureRun(twice())
    run.start()
    with pytest.raises(OSError, match="gone"):
        run.throw(OSError("gone"))


def test_closing_ends_it_where_it_waits() -> None:
    seen: list[str] = []

    async def tidy() -> None:
        try:
            await IO.sleep(1)
        except GeneratorExit:
            seen.append("closed")
            raise

    run = ProcedureRun(tidy())
    run.start()
    run.close()
    assert seen == ["closed"]


def test_a_procedure_that_awaits_an_event_loop_fails_at_once() -> None:
    async def stray() -> None:
        await trio.lowlevel.cancel_shielded_checkpoint()

    run = ProcedureRun(stray())
    with pytest.raises(AssertionError, match="no request of heat_core"):
        run.start()
    run.close()

    async def later() -> None:
        try:
            await IO.sleep(1)
        except OSError:
            await trio.lowlevel.cancel_shielded_checkpoint()

    run = ProcedureRun(later())
    run.start()
    with pytest.raises(AssertionError, match="no request of heat_core"):
        run.throw(OSError())
    run.close()


def test_values_are_passed_as_they_are() -> None:
    async def echo() -> Any:
        return (await IO.all([])), (await IO.all([]))

    run = ProcedureRun(echo())
    run.start()
    run.answer([1, 2])
    assert run.answer([]) == Finished(((1, 2), ()))
