"""Evaluations in place, and in a thread when they meet hostile work."""

import threading
from typing import Any

import pytest

from heat_core.isolation import Job, TooCostly, isolated, using
from heat_io.sandbox.budget import remaining_seconds
from heat_io.sandbox.evaluation import evaluate, evaluate_in_thread
from heat_io.sandbox.limits import EVALUATION_SECONDS


class Threads:
    """An Isolation that notes the threads in which it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[threading.Thread, float]] = []

    def __call__(self, job: Job, arguments: tuple[Any, ...]) -> Any:
        self.asked.append((threading.current_thread(), remaining_seconds()))
        if arguments == (0,):
            raise TooCostly("too long")
        return arguments[0] * 2


def _double(number: int) -> int:
    raise AssertionError("the isolation does it")


async def test_in_place_where_nothing_is_met() -> None:
    threads = Threads()
    with using(threads):
        assert await evaluate(lambda one: (one, threading.current_thread()), 1) == (
            1,
            threading.current_thread(),
        )
    assert threads.asked == []


async def test_in_a_thread_where_something_is() -> None:
    threads = Threads()
    runs: list[int] = []

    def work(number: int) -> int:
        runs.append(number)
        return isolated(Job.MATCH, _double, number) + isolated(Job.MATCH, _double, 1)

    with using(threads):
        assert await evaluate(work, 4) == 10
    assert runs == [4, 4]
    assert len(threads.asked) == 2
    for thread, remaining in threads.asked:
        assert thread is not threading.current_thread()
        assert remaining <= EVALUATION_SECONDS


async def test_errors_come_out() -> None:
    with using(Threads()), pytest.raises(TooCostly):
        await evaluate(isolated, Job.MATCH, _double, 0)
    with pytest.raises(ZeroDivisionError):
        await evaluate(lambda: 1 / 0)


async def test_long_work_goes_to_a_thread_at_once() -> None:
    assert await evaluate_in_thread(threading.current_thread) is not threading.current_thread()
