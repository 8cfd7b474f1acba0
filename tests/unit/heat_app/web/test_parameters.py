"""Query and form parameters."""

import pytest

from heat_app.web.parameters import Parameters


def test_the_last_value_of_the_query_wins_over_the_form() -> None:
    parameters = Parameters.parse(b"a=1&a=2&b=", b"a=3&c=4")
    assert parameters.get("a") == "2"
    assert parameters.get("c") == "4"
    assert parameters.get("d") is None
    assert parameters.all("a") == ["1", "2", "3"]
    assert parameters.names() == ["a", "b", "c"]
    assert "b" in parameters
    assert "d" not in parameters
    assert not Parameters()


def test_separators() -> None:
    assert list(Parameters.parse(b"a=1;b=2", b"c=3;d=4")) == [
        ("a", "1"),
        ("b", "2"),
        ("c", "3;d=4"),
    ]


def test_bad_utf8_is_an_error() -> None:
    with pytest.raises(UnicodeDecodeError):
        Parameters.parse(b"a=%ff")


def test_encoding_keeps_order_and_repeats() -> None:
    parameters = Parameters.parse(b"type=a&type=b&name=c%20d&x=")
    assert parameters.encode() == "type=a&type=b&name=c+d&x="
    assert parameters.encode_with("type", "z") == "name=c+d&x=&type=z"


def test_choices() -> None:
    parameters = Parameters.parse(b"one=1&many=1&many=2&empty=&last=&last=x")
    assert parameters.single("one", "many", "empty", "last", "none") == {
        "one": "1",
        "many": "2",
        "last": "x",
    }
    assert parameters.multiple("one", "empty", "none") == {"one": ["1"], "empty": [""]}
    assert parameters.mixed("one", "many", "empty", "none") == {"one": "1", "many": ["1", "2"]}
