"""make_url."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.template import validate

WHOLE = {
    "scheme": "http",
    "username": "a b",
    "password": "p/w",
    "host": "example.com",
    "port": 80,
    "path": "/x y",
    "query": {"q": "a/b c"},
    "fragment": "f g",
}


@pytest.mark.parametrize(
    ("args", "url"),
    [
        (WHOLE, "http://a%20b:p%2Fw@example.com:80/x%20y?q=a/b+c#f%20g"),
        ({"host": "::1", "scheme": "http"}, "http://[::1]"),
        ({"host": "[::1]", "port": "8080", "path": "x"}, "//[::1]:8080/x"),
        ({"scheme": "file", "path": "etc/x"}, "file:///etc/x"),
        ({"scheme": "mailto", "path": "me"}, "mailto:me"),
        ({"username": "u", "host": "h"}, "//u@h"),
        ({"scheme": "http", "path": "//x/y"}, "http://x/y"),
        ({}, ""),
    ],
)
def test_urls(stage: Any, args: Any, url: str) -> None:
    validate(stage.parse({"make_url": args}), stage.at)
    assert stage.resolve({"make_url": args}) == url


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (5, 'The arguments to "make_url" must be a map'),
        ({"zzz": 1}, 'Invalid arguments to "make_url": zzz'),
        ({"host": 5}, 'The "host" argument to "make_url" must be a string'),
        ({"query": "a=b"}, 'The "query" argument to "make_url" must be a map'),
        ({"port": 70000}, "Invalid URL port 70000, must be in range 1-65535"),
        ({"port": "x"}, 'Invalid URL port "x" for make_url called with'),
    ],
)
def test_validation_refuses(stage: Any, args: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        validate(stage.parse({"make_url": args}), stage.at)
    assert text in str(caught.value)


def test_a_port_that_is_a_call_is_checked_when_it_is_known(stage: Any) -> None:
    snippet = {"make_url": {"host": "h", "port": {"get_param": "n"}}}
    validate(stage.parse(snippet), stage.at)
    assert stage.resolve(snippet) == "//h:7"


def test_a_scheme_has_no_colon(stage: Any) -> None:
    with pytest.raises(ValueError, match='URL "scheme" should not contain'):
        stage.resolve({"make_url": {"scheme": "http:"}})
