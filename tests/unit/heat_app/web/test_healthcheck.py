"""The health check, which nobody has to be authenticated for."""

import pytest

from heat_app.web.healthcheck import healthcheck, is_healthcheck


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
