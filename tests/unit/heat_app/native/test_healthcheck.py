"""The health check, which nobody has to be authenticated for."""

from typing import Any

import pytest

from heat_app.native.healthcheck import healthcheck, is_healthcheck


def test_paths() -> None:
    assert is_healthcheck("/healthcheck")
    assert is_healthcheck("/healthcheck/x")
    assert not is_healthcheck("/healthchecks")


@pytest.mark.parametrize(
    ("accept", "kind", "size"),
    [
        ("", "text/plain; charset=UTF-8", 0),
        ("*/*", "text/plain; charset=UTF-8", 0),
        ("text/html", "text/html; charset=UTF-8", 211),
        ("application/json", "application/json", 44),
        ("image/png", "text/plain; charset=UTF-8", 0),
    ],
)
def test_forms(accept: str, kind: str, size: int) -> None:
    answer = healthcheck("GET", accept)
    assert (answer.status, answer.content_type, len(answer.body)) == (200, kind, size)


def test_head() -> None:
    assert healthcheck("HEAD", "application/json").status == 204


async def test_it_has_no_request_id_and_asks_nobody(make_api: Any) -> None:
    api = make_api()
    got = await api.request("GET", "/healthcheck", headers={"X-Auth-Token": "bad"})
    assert (got.status, got.body) == (200, b"")
    assert "x-openstack-request-id" not in got.headers
    assert api.engine.calls == []
