"""The health check's answers, side by side with those of oslo.middleware itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from heat_app.config import HealthcheckSettings
from heat_app.web.health_backends import HealthCheck, Result
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


def test_not_well() -> None:
    bad = [Result(True, "OK"), Result(False, "<BAD>")]
    assert healthcheck("HEAD", "", bad).status == 503
    answer = healthcheck("GET", "", bad)
    assert (answer.status, answer.body) == (503, b"OK\n<BAD>")
    assert b"<TD>&lt;BAD&gt;</TD>" in healthcheck("GET", "text/html", bad).body


# Asked in a process of its own: it brings eventlet.
ORIGINAL = """
import json, sys
import webob
from oslo_middleware import Healthcheck
answers = []
for options in json.load(sys.stdin):
    given = {k: ",".join(v) if isinstance(v, list) else str(v) for k, v in options.items()}
    app = Healthcheck(None, given)
    for method in ("GET", "HEAD"):
        for accept in ("text/plain", "text/html", "application/json", "image/png"):
            request = webob.Request.blank("/healthcheck", method=method, headers={"Accept": accept})
            got = request.get_response(app)
            kind = got.headers.get("Content-Type")
            answers.append([options, method, accept, got.status_int, kind, got.text])
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Configurations of oslo.middleware's health check with its answers."""
    folder: Path = tmp_path_factory.mktemp("files")
    there, missing = folder / "it's <there>", folder / "missing"
    there.touch()
    backends = [
        {},
        {"backends": ["disable_by_file"], "disable_by_file_path": str(missing)},
        {"backends": ["disable_by_file"], "disable_by_file_path": str(there)},
        {
            "backends": ["disable_by_files_ports", "disable_by_file"],
            "disable_by_file_paths": [f"80:{there}", f"81:{missing}"],
            "disable_by_file_path": str(missing),
        },
        {
            "backends": ["disable_by_files_ports"],
            "disable_by_file_paths": [f"80:{missing}", f"81:{there}"],
        },
        {"backends": ["enable_by_files"], "enable_by_file_paths": [str(there)]},
        {"backends": ["enable_by_files"], "enable_by_file_paths": [str(there), str(missing)]},
    ]
    options = [one | {"detailed": detailed} for one in backends for detailed in (False, True)]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ORIGINAL],
        input=json.dumps(options),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers: list[Any] = json.loads(done.stdout)
    assert len(answers) == 14 * 8
    return answers


def test_the_answers_are_the_originals(original: list[Any]) -> None:
    for options, method, accept, status, kind, text in original:
        given = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in options.items()
        }
        check = HealthCheck.from_settings(HealthcheckSettings(**given))
        got = healthcheck(method, accept, check.results(80), detailed=check.detailed)
        assert (got.status, got.content_type) == (status, kind), (options, method, accept)
        shown, wanted = got.body.decode(), text
        if check.detailed:
            shown, wanted = _of_any_process(shown), _of_any_process(wanted)
        assert shown == wanted, (options, method, accept)


def _of_any_process(text: str) -> str:
    """Without what differs between two processes, and the list of threads that it calls green."""
    if text.startswith("{"):
        answer = json.loads(text)
        for name in ("now", "python_version", "platform"):
            assert isinstance(answer.pop(name), str)
        assert [len(numbers) for numbers in answer.pop("gc").values()] == [3, 3]
        assert all(thread.startswith("  File ") for thread in answer.pop("threads"))
        return json.dumps(answer)
    text = re.sub(r"<H2>\d+ greenthread.*?<HR></HR>\n", "", text, flags=re.DOTALL)
    text = re.sub(r"<PRE>.*?</PRE>", "<PRE></PRE>", text, flags=re.DOTALL)
    text = re.sub(r"(<TR>\n    <TD><PRE></PRE></TD>\n</TR>)+", "A ROW FOR EACH", text)
    return re.sub(r"\d+ thread", "N thread", text)
