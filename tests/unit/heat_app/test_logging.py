"""Records are one line with their fields, and carry no secrets."""

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from heat_app.logging import JsonFormatter, LineFormatter, configure, masked
from heat_io.log_context import bound

TOKEN = "gAAAAABm" + "x" * 90


def _record(message: str = "stack stored", **fields: object) -> logging.LogRecord:
    record = logging.LogRecord("heat_io.test", logging.INFO, __file__, 1, message, (), None)
    record.created = 1_700_000_000.25
    record.msecs = 250.0
    record.fields = fields
    return record


@pytest.fixture
def logging_restored() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], level = before
    root.setLevel(level)
    logging.captureWarnings(False)


def test_a_line() -> None:
    with bound(request_id="req-1", step_id="n7", user_id="u"):
        line = LineFormatter().format(_record(name="web 1", count=3))
    assert line == (
        "2023-11-14T22:13:20.250 INFO heat_io.test [req-1] stack stored "
        'step_id=n7 name="web 1" count=3'
    )


def test_json() -> None:
    with bound(request_id="req-1"):
        entry = json.loads(JsonFormatter().format(_record(count=3)))
    assert entry == {
        "time": 1_700_000_000.25,
        "level": "INFO",
        "logger": "heat_io.test",
        "message": "stack stored",
        "request_id": "req-1",
        "count": 3,
    }


@pytest.mark.parametrize("name", ["password", "auth_token", "client_secret", "adminPass"])
def test_fields_of_secret_names_are_masked(name: str) -> None:
    assert "hush" not in LineFormatter().format(_record(**{name: "hush"}))


@pytest.mark.parametrize(
    "text",
    [
        f"got {TOKEN} back",
        "mysql+asyncmy://heat:hush@db/heat is gone",
        "X-Auth-Token: hush",
        "{'password': 'hush', 'name': 'x'}",
        "admin_password=hush",
    ],
)
def test_texts_are_masked(text: str) -> None:
    assert "hush" not in masked(text)
    assert TOKEN not in masked(text)
    assert "***" in masked(text)


def test_plain_texts_stay() -> None:
    text = "The Stack (token-ring) could not be found. password policy applies"
    assert masked(text) == text


def test_exceptions_are_masked_too() -> None:
    record = _record()
    try:
        raise ValueError(f"refused {TOKEN}")
    except ValueError as error:
        record.exc_info = (type(error), error, error.__traceback__)
    line = LineFormatter().format(record)
    assert "ValueError: refused ***" in line
    assert TOKEN not in json.loads(JsonFormatter().format(record))["exception"]


def test_configure(tmp_path: Path, logging_restored: None) -> None:
    stream = io.StringIO()
    configure(stream=stream, debug=False)
    logging.getLogger("heat_io.somewhere").info("hello", extra={"fields": {"n": 1}})
    logging.getLogger("heat_io.somewhere").debug("quiet")
    logging.getLogger("somebody.else").info("quiet")
    assert stream.getvalue().endswith(" INFO heat_io.somewhere [-] hello n=1\n")
    assert "quiet" not in stream.getvalue()

    handler = configure(path=str(tmp_path / "log"), debug=True, use_json=True)
    logging.getLogger("heat_app").debug("loud")
    handler.close()
    assert json.loads((tmp_path / "log").read_text())["message"] == "loud"
