"""Template text."""

import pytest

from heat_core.errors import RequestLimitExceeded
from heat_core.template import (
    DEFAULT_MAX_TEMPLATE_SIZE,
    check_size,
    parse_text,
    template_size_limit,
)
from heat_core.template.loader import parse_any


def test_json_first_then_yaml() -> None:
    assert parse_text('{"heat_template_version": "rocky", "a": [1,\t2]}')["a"] == [1, 2]
    assert parse_text("heat_template_version: 2018-08-31") == {
        "heat_template_version": "2018-08-31"
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "The template is not a JSON object or YAML mapping."),
        ("just text", "The template is not a JSON object or YAML mapping."),
        ("", "Template format version not found."),
        ("a: 1", "Template format version not found."),
    ],
)
def test_what_is_no_template(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        parse_text(text)


def test_an_error_names_the_template() -> None:
    with pytest.raises(ValueError, match=r"^Error parsing template \[root stack\] while"):
        parse_text("a: [1")
    with pytest.raises(ValueError, match=r"^Error parsing template http://h/x while"):
        parse_text("a: [1", url="http://h/x")


def test_size_is_counted_in_characters() -> None:
    head = "heat_template_version: rocky\nd: "
    assert parse_text(head + "é" * 10, limit=len(head) + 10)["d"] == "é" * 10
    with pytest.raises(RequestLimitExceeded) as caught:
        check_size("x" * 11, 10)
    assert str(caught.value) == (
        "Request limit exceeded: Template size (11 bytes) exceeds maximum allowed size (10 bytes)."
    )
    with pytest.raises(RequestLimitExceeded):
        parse_text("x" * 11, limit=10)


def test_only_text_is_parsed() -> None:
    with pytest.raises(TypeError, match="can't be decoded"):
        parse_any(5)  # type: ignore[arg-type]  # what a client may send


def test_the_limit_of_a_place() -> None:
    text = "heat_template_version: 2018-08-31\n"
    with template_size_limit(len(text) - 1):
        with pytest.raises(RequestLimitExceeded, match=rf"size \({len(text) - 1} bytes\)"):
            parse_text(text)
        assert parse_text(text, limit=len(text))
    with template_size_limit(len(text)):
        assert parse_text(text)
    assert check_size("x" * DEFAULT_MAX_TEMPLATE_SIZE) is None
