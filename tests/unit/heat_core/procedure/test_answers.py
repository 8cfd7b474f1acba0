from __future__ import annotations

import pytest

from heat_core.procedure.answers import (
    Conflict,
    Fatal,
    Fine,
    NotFound,
    Reauthenticate,
    Retry,
    classify,
    classify_no_answer,
    retry_after_seconds,
)

READS = ("GET", "HEAD", "OPTIONS")
MUTATING = ("POST", "PUT", "PATCH")
ALL = (*READS, "DELETE", *MUTATING)

TABLE = [
    *((ALL, status, Fine()) for status in (200, 201, 202, 204, 300, 302)),
    (ALL, 401, Reauthenticate()),
    (ALL, 404, NotFound()),
    (ALL, 410, NotFound()),
    (ALL, 409, Conflict()),
    (ALL, 429, Retry(None, throttled=True)),
    *(((*READS, "DELETE"), status, Retry()) for status in (408, 502, 503, 504)),
    *((MUTATING, status, Fatal(maybe_done=True)) for status in (408, 502, 503, 504)),
    *(((*READS, "DELETE"), status, Fatal()) for status in (500, 501, 505)),
    *((MUTATING, status, Fatal(maybe_done=True)) for status in (500, 501, 505)),
    *((ALL, status, Fatal()) for status in (400, 402, 403, 405, 406, 412, 413, 415, 422)),
]


@pytest.mark.parametrize(
    ("method", "status", "verdict"),
    [(method, status, verdict) for methods, status, verdict in TABLE for method in methods],
)
def test_each_status_has_one_verdict(method: str, status: int, verdict: object) -> None:
    assert classify(method, status) == verdict


@pytest.mark.parametrize("method", ALL)
def test_a_throttled_request_of_any_kind_is_sent_again_when_the_service_says(method: str) -> None:
    assert classify(method, 429, {"Retry-After": "7"}) == Retry(7.0, throttled=True)
    assert classify(method, 413, {"retry-after": "2"}) == Retry(2.0, throttled=True)


def test_an_unavailable_service_names_the_time_for_reads_only() -> None:
    assert classify("GET", 503, {"Retry-After": "3"}) == Retry(3.0)
    assert classify("POST", 503, {"Retry-After": "3"}) == Fatal(maybe_done=True)


@pytest.mark.parametrize("method", ALL)
def test_what_was_never_sent_is_sent_again(method: str) -> None:
    assert classify_no_answer(method, sent=False) == Retry()


@pytest.mark.parametrize("method", ALL)
def test_what_may_have_arrived_is_sent_again_only_if_that_does_no_harm(method: str) -> None:
    expected = Fatal(maybe_done=True) if method in MUTATING else Retry()
    assert classify_no_answer(method, sent=True) == expected


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "0"}, 0.0),
        ({"RETRY-AFTER": " 12 "}, 12.0),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "²"}, None),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT"}, None),
        (
            {
                "Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT",
                "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30.0,
        ),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT",
                "date": "Wed, 21 Oct 2026 07:28:30 GMT",
            },
            0.0,
        ),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", "date": "today"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers) == seconds
