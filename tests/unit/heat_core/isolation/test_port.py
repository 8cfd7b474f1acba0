"""Who does hostile jobs, and evaluations that leave off where they must not wait."""

import threading
from typing import Any

import pytest

from heat_core.isolation import Job, Postponed, TooCostly, inline, isolated, using


class Recorder:
    """An Isolation that notes its jobs and answers them with their count."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Job, tuple[Any, ...]]] = []

    def __call__(self, job: Job, arguments: tuple[Any, ...]) -> Any:
        self.jobs.append((job, arguments))
        return len(self.jobs)


def add(one: int, other: int) -> int:
    return one + other


def test_without_an_isolation_the_work_is_done_here() -> None:
    assert isolated(Job.YAQL, add, 2, 3) == 5
    assert inline(lambda: isolated(Job.YAQL, add, 2, 3)) == 5


def test_an_isolation_does_the_jobs_of_its_block() -> None:
    recorder = Recorder()
    with using(recorder):
        assert isolated(Job.YAQL, add, 2, 3) == 1
    assert isolated(Job.YAQL, add, 2, 3) == 5
    assert recorder.jobs == [(Job.YAQL, (2, 3))]


def test_a_block_may_go_back_to_none() -> None:
    with using(Recorder()), using(None):
        assert isolated(Job.YAQL, add, 2, 3) == 5


def test_inline_no_job_is_done() -> None:
    recorder = Recorder()
    with using(recorder):
        with pytest.raises(Postponed):
            inline(lambda: isolated(Job.YAQL, add, 2, 3))
        assert recorder.jobs == []
        assert isolated(Job.YAQL, add, 2, 3) == 1


def test_postponed_passes_by_handlers_of_users_errors() -> None:
    def evaluation() -> str:
        try:
            isolated(Job.YAQL, add, 1, 1)
        except Exception:
            return "taken for the user's mistake"
        return "done"

    with using(Recorder()), pytest.raises(Postponed):
        inline(evaluation)


def test_another_thread_has_no_isolation_of_its_own() -> None:
    found: list[int] = []
    with using(Recorder()):
        thread = threading.Thread(target=lambda: found.append(isolated(Job.YAQL, add, 2, 3)))
        thread.start()
        thread.join()
    assert found == [5]


def test_too_costly_is_the_users_mistake() -> None:
    assert issubclass(TooCostly, ValueError)
