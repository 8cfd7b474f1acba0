"""Requests as values."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from heat_core.procedure import HttpAnswer, HttpCall, Sleep


@pytest.mark.parametrize(
    ("method", "mutating"),
    [
        ("GET", False),
        ("HEAD", False),
        ("POST", True),
        ("PUT", True),
        ("PATCH", True),
        ("DELETE", True),
    ],
)
def test_what_changes_something_is_never_cut_off(method: str, mutating: bool) -> None:
    assert HttpCall(method, "compute", "/p").mutating is mutating


def test_requests_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Sleep(1).seconds = 2  # type: ignore[misc]  # that is the point


def test_an_answer_without_headers_has_none_of_its_own() -> None:
    first, second = HttpAnswer(200), HttpAnswer(200)
    assert first == second
    assert first.headers is not second.headers
