"""Workers: what they do, and that they are killed and replaced when they pass a limit."""

import os
import threading
from collections.abc import Iterator

import pytest

from heat_core.documents import load_yaml
from heat_core.isolation import Job, TooCostly
from heat_core.properties import matches_whole
from heat_io.sandbox import LIMITS, Limit, Sandbox, SandboxBusy
from heat_io.sandbox.budget import budget

HOSTILE = ("(a+)+$", ["a" * 40 + "!"])
_QUICK = LIMITS | {Job.MATCH: Limit(cpu_seconds=0.1, wall_seconds=60.0)}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1, limits=_QUICK).installed() as sandbox:
        yield sandbox


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _pid(sandbox: Sandbox) -> int:
    (worker,) = sandbox._idle
    return worker.pid


def test_a_worker_does_job_after_job(sandbox: Sandbox) -> None:
    assert sandbox.started == 0
    assert sandbox(Job.MATCH, ("a+", ["aab"])) == [2]
    pid = _pid(sandbox)
    assert sandbox(Job.YAQL, ("$.data.len()", [1, 2], 200, 10000)) == 2
    assert _pid(sandbox) == pid
    assert sandbox.started == 1
    sandbox.close()
    assert not _alive(pid)


def test_errors_of_a_job_are_raised_here(sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="Bad expression"):
        sandbox(Job.YAQL_PARSE, ("$.(", 200, 10000))
    with pytest.raises(Exception, match="Unknown function") as caught:
        sandbox(Job.YAQL, ("f()", None, 200, 10000))
    assert type(caught.value).__name__ == "NoFunctionRegisteredException"
    assert sandbox.started == 1


def test_a_job_that_takes_too_long_costs_its_worker(sandbox: Sandbox) -> None:
    sandbox(Job.MATCH, ("a", ["a"]))
    pid = _pid(sandbox)
    with pytest.raises(TooCostly, match=r'^Matching the pattern "\(a\+\)\+\$" takes too long\.$'):
        sandbox(Job.MATCH, HOSTILE)
    assert not _alive(pid)
    assert (sandbox.started, sandbox.killed) == (1, 1)
    assert sandbox(Job.MATCH, ("a", ["a"])) == [1]
    assert sandbox.started == 2


def test_so_does_one_that_waits() -> None:
    limits = LIMITS | {Job.MATCH: Limit(cpu_seconds=60.0, wall_seconds=0.3)}
    with Sandbox(workers=1, limits=limits).installed() as sandbox:
        with pytest.raises(TooCostly, match="takes too long"):
            sandbox(Job.MATCH, HOSTILE)
        assert (sandbox.started, sandbox.killed) == (1, 1)


def test_memory_is_bounded() -> None:
    with Sandbox(workers=1, memory_bytes=100 * 1024 * 1024).installed() as sandbox:
        with pytest.raises(TooCostly, match=r"^Reading the YAML text takes too much memory\.$"):
            sandbox(Job.YAML, ("[" + "[]," * 150_000 + "]",))
        assert sandbox.killed == 1
        assert sandbox(Job.MATCH, ("a", ["a"])) == [1]


def test_a_worker_that_dies_is_replaced(sandbox: Sandbox) -> None:
    sandbox(Job.MATCH, ("a", ["a"]))
    os.kill(_pid(sandbox), 9)
    with pytest.raises(TooCostly, match="takes more than it may"):
        sandbox(Job.MATCH, ("a", ["a"]))
    assert sandbox(Job.MATCH, ("a", ["a"])) == [1]


def test_who_waits_too_long_for_a_worker_is_told() -> None:
    with Sandbox(workers=1, limits=_QUICK, queue_seconds=0.05).installed() as sandbox:
        sandbox(Job.MATCH, ("a", ["a"]))
        outcomes: list[str] = []

        def hog() -> None:
            try:
                sandbox(Job.MATCH, HOSTILE)
            except TooCostly:
                outcomes.append("too costly")

        thread = threading.Thread(target=hog)
        thread.start()
        while sandbox._idle:  # until the hog has the worker
            pass
        with pytest.raises(SandboxBusy):
            sandbox(Job.MATCH, ("a", ["a"]))
        thread.join()
        assert outcomes == ["too costly"]


def test_a_budget_that_is_used_up_refuses_the_next_job(sandbox: Sandbox) -> None:
    with budget(0.0), pytest.raises(TooCostly, match="comes after too much other work"):
        sandbox(Job.MATCH, ("a", ["a"]))
    with budget(50.0):
        assert sandbox(Job.MATCH, ("a", ["a"])) == [1]


def test_the_core_uses_what_is_installed(sandbox: Sandbox) -> None:
    assert matches_whole("(a+)+", "aaa")
    large = "\n".join(f"k{number}: {number}" for number in range(10_000))
    assert load_yaml(large)["k9999"] == 9999
    with pytest.raises(TooCostly):
        matches_whole("(a+)+$", "a" * 40 + "!")
    assert sandbox.killed == 1


def test_a_worker_has_no_secrets_of_its_parent(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OS_PASSWORD", "secret")
    sandbox(Job.MATCH, ("a", ["a"]))
    with open(f"/proc/{_pid(sandbox)}/environ", "rb") as environment:
        assert b"OS_PASSWORD" not in environment.read()
    assert len(os.listdir(f"/proc/{_pid(sandbox)}/fd")) == 3


def test_long_patterns_are_not_shown_whole(sandbox: Sandbox) -> None:
    with pytest.raises(TooCostly) as caught:
        sandbox(Job.MATCH, ("(a+)+$" + "(?:)" * 500, ["a" * 40 + "!"]))
    assert len(str(caught.value)) < 200


def test_after_close_no_worker_stays() -> None:
    sandbox = Sandbox(workers=1)
    sandbox.close()
    assert sandbox(Job.MATCH, ("a", ["a"])) == [1]
    assert sandbox._idle == []
