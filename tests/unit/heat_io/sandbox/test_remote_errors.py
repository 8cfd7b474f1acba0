"""Errors of a worker, raised again."""

import re

import pytest

from heat_io.sandbox.remote_errors import rebuilt


@pytest.mark.parametrize(
    "error",
    [
        ValueError("wrong"),
        KeyError("name"),
        KeyError("one", 2),
        TypeError(),
        re.error("missing )", "a(", 1),
        ZeroDivisionError("division by zero"),
    ],
)
def test_classes_of_python(error: Exception) -> None:
    again = rebuilt(type(error).__name__, error.args, str(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def test_a_class_of_a_library_keeps_its_name_and_text() -> None:
    again = rebuilt("NoFunctionRegisteredException", [], 'Unknown function "f"')
    assert type(again).__name__ == "NoFunctionRegisteredException"
    assert str(again) == 'Unknown function "f"'
    assert type(again) is type(rebuilt("NoFunctionRegisteredException", [], "other"))


def test_a_name_of_something_else_is_only_a_name() -> None:
    assert isinstance(rebuilt("SystemExit", [3], "3"), Exception)
    assert isinstance(rebuilt("print", [], "x"), Exception)
    assert str(rebuilt("UnicodeDecodeError", ["utf-8"], "bad byte")) == "bad byte"
