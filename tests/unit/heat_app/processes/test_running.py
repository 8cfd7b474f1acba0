from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing

from heat_app.config import ConfigurationProblem, read_command_line
from heat_app.processes import Job, Mutable, Orders, Post, run_worker, running


@pytest.fixture
def post() -> Iterator[tuple[Post, int]]:
    """A worker's post, and the end of the pipe that its supervisor reads."""
    theirs, reports = os.pipe()
    lifeline, ours = os.pipe()
    yield Post(reports, lifeline), theirs
    for pipe in (theirs, reports, lifeline, ours):
        os.close(pipe)


def test_a_worker_tells_when_it_serves_and_that_it_lives(post: tuple[Post, int]) -> None:
    worker, supervisor = post

    async def serve(orders: Orders) -> None:
        orders.serves = True
        worker.say_ready()
        await trio.testing.wait_all_tasks_blocked()

    assert run_worker(worker, serve) == 0
    assert set(os.read(supervisor, 100)) == set(b"r.")


def test_a_problem_that_shows_late_is_told(
    post: tuple[Post, int], capsys: pytest.CaptureFixture[str]
) -> None:
    async def serve(orders: Orders) -> None:
        raise ConfigurationProblem("there is no database")

    assert run_worker(post[0], serve) == 2
    assert capsys.readouterr().err == "there is no database\n"


def test_other_errors_are_no_configuration_problem(post: tuple[Post, int]) -> None:
    async def serve(orders: Orders) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_fail, ConfigurationProblem("x"))
            nursery.start_soon(_fail, RuntimeError("y"))

    with pytest.raises(BaseExceptionGroup):
        run_worker(post[0], serve)


async def _fail(error: Exception) -> None:
    raise error


def test_a_reload_reads_what_may_change(tmp_path: Path) -> None:
    conf = tmp_path / "heat.conf"
    conf.write_text("[DEFAULT]\ngraceful_shutdown_timeout = 7\n")
    configuration = read_command_line(["--config-file", str(conf)], "heat-api")
    seen: list[Mutable] = []

    def work(post: Post, mutable: Mutable) -> int:
        seen.append(mutable)
        return 0

    plan = running.plan_of(configuration, Job(3, work))
    assert (plan.count, plan.grace_seconds) == (3, 7)
    plan.work(Post(0, 0))
    conf.write_text("[DEFAULT]\ngraceful_shutdown_timeout = 0\ndebug = true\n")
    assert plan.reload() == math.inf
    plan.work(Post(0, 0))
    conf.write_text("[DEFAULT]\ngraceful_shutdown_timeout = 0\ndebug = perhaps\n")
    assert plan.reload() is None
    plan.work(Post(0, 0))
    assert seen == [Mutable(False, 7), Mutable(True, math.inf), Mutable(True, math.inf)]


def test_reports_that_nobody_reads_are_no_error() -> None:
    theirs, reports = os.pipe()
    os.set_blocking(reports, False)
    worker = Post(reports, supervisor=theirs)
    for _ in range(100_000):
        worker.say_ready()
    assert len(os.read(theirs, 1_000_000)) < 100_000
    os.close(theirs)
    worker.say_ready()
    os.close(reports)
