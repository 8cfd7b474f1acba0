"""Every class of Heat's errors has the status and the body that clients know."""

import builtins
import json
from pathlib import Path

import pytest

from heat_app.native.faults import (
    HTTPBadRequest,
    HTTPForbidden,
    fault,
    fault_answer,
    status_of,
)
from heat_core import errors
from heat_core.rpc import CallTimeout, RemoteError


def test_statuses_are_heats(shared: Path) -> None:
    recorded = json.loads((shared / "facts" / "errors.json").read_text())["exceptions"]
    compared = 0
    for name, facts in recorded.items():
        kind = getattr(errors, name, None)
        if kind is None:
            continue
        error = kind.__new__(kind)
        assert status_of(error) == facts["native"], name
        compared += 1
    assert compared > 70


def test_status_map_is_heats(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "errors.json").read_text())
    for name, status in facts["fault_map_by_class_name"].items():
        kind = getattr(errors, name, None) or getattr(builtins, name, None)
        if kind is None:
            kind = type(name, (Exception,), {})
        assert status_of(kind.__new__(kind)) == status, name
    assert status_of(KeyError("x")) == facts["fault_map_default"]


def test_titles_are_heats(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "errors.json").read_text())["fault_titles"]
    for status, words in facts.items():
        kind = {403: errors.Forbidden, 404: errors.NotFound, 409: errors.StackExists}.get(
            int(status)
        )
        error = kind.__new__(kind) if kind else {400: ValueError(), 500: KeyError()}[int(status)]
        error.message = ""  # type: ignore[union-attr] # what __str__ of Heat's errors reads
        body = fault(error)
        assert (body["title"], body["explanation"]) == (words["title"], words["explanation"])


def test_body_of_a_safe_error() -> None:
    body = fault(errors.EntityNotFound(entity="Stack", name="s"))
    assert list(body) == ["code", "title", "explanation", "error"]
    assert body["error"] == {
        "type": "EntityNotFound",
        "traceback": None,
        "message": "The Stack (s) could not be found.",
    }


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (ValueError("secret"), 400, "ValueError"),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "x"), 400, "UnicodeDecodeError"),
        (KeyError("secret"), 500, "KeyError"),
        (RemoteError("OperationalError", "secret"), 500, "RemoteError"),
        (CallTimeout("secret"), 500, "MessagingTimeout"),
        (errors.UpdateInProgress("r"), 500, "UpdateInProgress"),
    ],
)
def test_an_unsafe_error_keeps_its_text(error: Exception, code: int, kind: str) -> None:
    body = fault(error)
    assert body["code"] == code
    assert body["error"] == {"type": kind, "traceback": None}


def test_own_errors_are_safe() -> None:
    assert fault(HTTPBadRequest("why"))["error"]["message"] == "why"
    assert fault(HTTPForbidden())["error"]["message"] == "Access was denied to this resource."


def test_remote_suffix_is_dropped() -> None:
    kind = type("StackExists_Remote", (errors.StackExists,), {})
    error = kind(stack_name="s")
    assert status_of(error) == 409
    assert fault(error)["error"]["type"] == "StackExists"


def test_debug_shows_the_traceback() -> None:
    assert fault(ValueError("x"), debug=True)["error"]["traceback"] == "ValueError: x\n"


def test_who_sent_xml_gets_the_code_alone() -> None:
    answer = fault_answer(HTTPBadRequest("x"), content_type="application/xml")
    assert answer.content_type == "application/xml; charset=UTF-8"
    assert answer.body == b"<code>400</code>"
