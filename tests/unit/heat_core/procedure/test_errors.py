"""A service's refusal."""

from __future__ import annotations

from typing import Any

import pytest

from heat_core.procedure import ServiceError


def refusal(status: int, **more: Any) -> ServiceError:
    return ServiceError(
        "compute", status, "message", error_class="Conflict", text="shown text", **more
    )


def test_its_text_is_the_users() -> None:
    error = refusal(409)
    assert str(error) == "shown text"
    assert error.message == "message"
    assert (error.service, error.status, error.error_class) == ("compute", 409, "Conflict")


@pytest.mark.parametrize(
    ("status", "not_found", "conflict"),
    [(404, True, False), (409, False, True), (500, False, False), (0, False, False)],
)
def test_kinds(status: int, not_found: bool, conflict: bool) -> None:
    error = refusal(status)
    assert error.not_found is not_found
    assert error.conflict is conflict


def test_headers_and_body_are_kept() -> None:
    headers = {"Retry-After": "3"}
    error = refusal(429, body={"error": 1}, headers=headers, maybe_done=True)
    assert error.body == {"error": 1}
    assert error.headers == headers
    assert error.headers is not headers
    assert error.maybe_done
    assert refusal(429).headers == {}
    assert not refusal(429).maybe_done
