"""A line a change; a bar only for people."""

import io
from typing import Any

import pytest

from heat_app.standalone.progress import Progress, changed_lines


def _resource(name: str, status: str, reason: str = "state changed") -> dict[str, Any]:
    return {
        "resource_name": name,
        "resource_type": "OS::Heat::Value",
        "resource_status": status,
        "resource_status_reason": reason,
    }


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_only_changes_are_lines() -> None:
    now = [
        _resource("a", "CREATE_COMPLETE"),
        _resource("b", "CREATE_IN_PROGRESS"),
        _resource("c", "INIT_COMPLETE"),
    ]
    assert changed_lines({"b": "CREATE_IN_PROGRESS"}, now) == [
        "CREATE_COMPLETE    a  OS::Heat::Value"
    ]


def test_a_failure_comes_with_its_reason() -> None:
    now = [_resource("a", "CREATE_FAILED", "ValueError: resources.a: no")]
    assert changed_lines({}, now) == [
        "CREATE_FAILED      a  OS::Heat::Value: ValueError: resources.a: no"
    ]


def test_plain_lines_elsewhere() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    progress.show([_resource("a", "CREATE_IN_PROGRESS")])
    progress.show([_resource("a", "CREATE_COMPLETE")])
    progress.show([_resource("a", "CREATE_COMPLETE")])
    progress.done()
    assert stream.getvalue() == (
        "  CREATE_IN_PROGRESS a  OS::Heat::Value\n  CREATE_COMPLETE    a  OS::Heat::Value\n"
    )


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    stream = _Terminal()
    progress = Progress(stream)
    progress.show(
        [
            _resource("a", "CREATE_COMPLETE"),
            _resource("b", "CREATE_IN_PROGRESS"),
            _resource("c", "INIT_COMPLETE"),
        ]
    )
    assert stream.getvalue().endswith(f"  [{'#' * 10}{'.' * 20}] 1/3  b")
    progress.done()
    assert stream.getvalue().endswith("\r\x1b[2K")


def test_a_bar_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "45")
    stream = _Terminal()
    Progress(stream).show([_resource(f"resource-{n}", "CREATE_IN_PROGRESS") for n in range(9)])
    assert len(stream.getvalue().rsplit("\n", 1)[1]) == 44
