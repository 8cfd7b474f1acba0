"""What a worker answers."""

import socket
from typing import Any

import pytest

from heat_core.isolation import Job
from heat_io.sandbox.wire import decode
from heat_io.sandbox.worker import JOBS, OUT_OF_MEMORY, answer, receive, send


def test_every_job_has_its_work() -> None:
    assert set(JOBS) == set(Job)


def test_values_and_errors() -> None:
    assert decode(answer(Job.MATCH, 1.0, ["a+", ["aab"]])) == {"value": [2]}
    assert decode(answer(Job.YAML, 1.0, ["a: [1, 2]"])) == {"value": {"a": [1, 2]}}
    failed = decode(answer(Job.COMPILE, 1.0, ["a("]))
    assert failed["error"] == "PatternError"
    assert failed["args"] == [failed["text"]]
    assert failed["text"] == "missing ), unterminated subpattern at position 1"


def test_yaql() -> None:
    assert decode(answer(Job.YAQL, 9.0, ["$.data.toSet()", [1, 1], 200, 10000])) == {"value": {1}}
    assert (
        decode(answer(Job.YAQL, 9.0, ["f()", None, 200, 10000]))["text"] == 'Unknown function "f"'
    )


def test_a_value_that_is_no_data_is_an_error() -> None:
    failed = decode(answer(Job.YAQL, 9.0, ["timespan(hours => 1)", None, 200, 10000]))
    assert failed["error"] == "TypeError"
    assert failed["text"] == "a timedelta is no plain data"


def test_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(text: str) -> Any:
        raise MemoryError

    monkeypatch.setitem(JOBS, Job.YAML, greedy)  # type: ignore[arg-type]  # a dict behind
    assert answer(Job.YAML, 1.0, ["a"]) is OUT_OF_MEMORY


def test_messages() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send(ours, b"hello")
        assert receive(theirs) == b"hello"
        ours.sendall((1 << 40).to_bytes(8, "big"))
        with pytest.raises(ValueError, match="a message of"):
            receive(theirs)
        ours.sendall(b"\0\0")
        ours.shutdown(socket.SHUT_WR)
        assert receive(theirs) is None
