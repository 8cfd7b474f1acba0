from __future__ import annotations

import json

import pytest

from heat_core import errors
from heat_core.rpc import (
    CallTimeout,
    Failure,
    NoSuchMethod,
    RemoteError,
    UnsupportedVersion,
    remote_failure,
)


def _travel(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as raised:
        return Failure.from_text(Failure.of(raised).to_text()).rebuild()


def test_a_heat_error_is_described_as_callers_know_it() -> None:
    error = errors.EntityNotFound(entity="Stack", name="missing")
    described = json.loads(Failure.of(error).to_text())
    assert described.pop("tb")[-1].endswith("The Stack (missing) could not be found.\n")
    assert described == {
        "class": "EntityNotFound",
        "module": "heat.common.exception",
        "message": "The Stack (missing) could not be found.",
        "args": [],
        "kwargs": {"entity": "Stack", "name": "missing"},
    }


@pytest.mark.parametrize(
    "error",
    [
        errors.EntityNotFound(entity="Stack", name="s"),
        errors.StackExists(stack_name="s"),
        errors.InvalidTenant(target="a", actual="b"),
        errors.NotFound("No event x found"),
        errors.Forbidden(action="stacks:index"),
        errors.NotAuthorized(),
        errors.Error("boom"),
        errors.AuthorizationFailure(),
        errors.AuthorizationFailure("Why."),
        errors.ImmutableParameterModified("a", "b"),
        errors.ResourceTypeUnavailable(service_name="s", resource_type="t", reason="r"),
        errors.ResourceNotFound(resource_name="r", stack_name="s"),
        errors.StackValidationFailed(message="plain"),
        errors.RequestLimitExceeded(message="m"),
        ValueError("bad value"),
        KeyError("k"),
        AttributeError("a"),
        TypeError("t"),
        CallTimeout("Timed out"),
    ],
)
def test_trusted_errors_come_back_as_themselves(error: Exception) -> None:
    back = _travel(error)
    assert type(back) is type(error)
    assert str(back) == str(error)
    failure = remote_failure(back)
    assert failure is not None
    assert failure.message == str(error)
    assert failure.trace


def test_the_parts_of_a_path_get_their_colons_twice() -> None:
    error = errors.StackValidationFailed(
        error="Property error", path=["resources", "r", "properties", 0], message="no"
    )
    assert str(error) == "Property error: resources.r.properties[0]: no"
    back = _travel(error)
    assert isinstance(back, errors.StackValidationFailed)
    assert back.message == "Property error: : resources.r.properties[0]: : no"
    failure = remote_failure(back)
    assert failure is not None
    assert failure.message == str(error)


def test_an_error_that_travels_on_keeps_its_class() -> None:
    back = _travel(_travel(errors.StackExists(stack_name="s")))
    assert type(back) is errors.StackExists


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (NoSuchMethod("m"), "NoSuchMethod"),
        (UnsupportedVersion("1.99", "m"), "UnsupportedVersion"),
        (errors.EntityMatchNotFound(entity="flavor", args="x"), "EntityMatchNotFound"),
        (errors.ResourceFailure("E", ["resources", "r"], "m"), "ResourceFailure"),
        (RemoteError("X", "y"), "RemoteError"),
        (json.JSONDecodeError("m", "d", 0), "JSONDecodeError"),
    ],
)
def test_other_errors_come_back_as_remote_errors(error: Exception, kind: str) -> None:
    back = _travel(error)
    assert isinstance(back, RemoteError)
    assert (back.kind, back.value) == (kind, str(error))
    assert str(back).startswith(f"Remote error: {kind} {error}\n[")


@pytest.mark.parametrize(
    "described",
    [
        {"class": "SystemExit", "module": "builtins", "message": "m"},
        {"class": "open", "module": "builtins", "message": "m"},
        {"class": "Any", "module": "heat.common.exception", "message": "m"},
        {"class": "NoSuchThing", "module": "heat.common.exception", "message": "m"},
        {"class": "StackExists", "module": "heat.common.exception", "message": "m"},
        {"class": "StackExists", "module": "os", "message": "m"},
        {
            "class": "StackExists",
            "module": "heat.common.exception",
            "message": "m",
            "args": [1],
        },
        {"class": "MessageDeliveryFailure", "module": "oslo_messaging.exceptions", "message": "m"},
        {},
    ],
)
def test_what_cannot_be_trusted_or_rebuilt_is_a_remote_error(described: dict[str, object]) -> None:
    back = Failure.from_text(json.dumps(described)).rebuild()
    assert isinstance(back, RemoteError)
    assert back.value == described.get("message", "")


def test_the_suffix_of_a_travelled_class_is_dropped_when_both_have_it() -> None:
    text = json.dumps(
        {
            "class": "StackExists_Remote",
            "module": "heat.common.exception_Remote",
            "message": "m",
            "kwargs": {"stack_name": "s"},
        }
    )
    assert isinstance(Failure.from_text(text).rebuild(), errors.StackExists)
    odd = json.dumps({"class": "X_Remote", "module": "exceptions", "message": "m"})
    assert Failure.from_text(odd).kind == "X_Remote"


def test_an_old_interpreter_names_the_builtins_otherwise() -> None:
    text = json.dumps(
        {"class": "ValueError", "module": "exceptions", "message": "m", "args": ["m"]}
    )
    assert isinstance(Failure.from_text(text).rebuild(), ValueError)


def test_a_timeout_has_the_name_that_callers_know() -> None:
    described = Failure.of(CallTimeout("t"))
    assert (described.kind, described.module) == ("MessagingTimeout", "oslo_messaging.exceptions")


def test_arguments_that_cannot_cross_go_as_text() -> None:
    described = json.loads(Failure.of(ValueError("a", object)).to_text())
    assert described["args"] == ["a", "<class 'object'>"]
    described = json.loads(Failure.of(errors.EntityNotFound(entity=ValueError("x"))).to_text())
    assert described["kwargs"] == {"entity": "x", "name": None}


def test_an_error_raised_here_has_not_travelled() -> None:
    assert remote_failure(ValueError("x")) is None


def test_a_path_without_parts_comes_back_plain() -> None:
    back = Failure(
        "StackValidationFailed",
        "heat.common.exception",
        "m",
        kwargs={"error": "", "path": ["a"], "message": "m"},
    ).rebuild()
    assert str(back) == "a: m"
