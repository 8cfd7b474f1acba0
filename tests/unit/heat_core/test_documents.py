"""Text -> data, and what bounds it."""

import json

import pytest

from heat_core.documents import (
    MAX_DEPTH,
    NotJSON,
    check_depth,
    json_error_text,
    load_json,
    load_yaml,
)


def test_yaml_is_version_1_1_with_timestamps_as_text() -> None:
    text = "a: yes\nb: 0777\nc: 12:30\nd: 1_000\ne: 1e3\nf: ~\ng: 2018-08-31\nh: !!str 5\n"
    assert load_yaml(text) == {
        "a": True,
        "b": 511,
        "c": 750,
        "d": 1000,
        "e": "1e3",
        "f": None,
        "g": "2018-08-31",
        "h": "5",
    }


def test_the_last_of_two_equal_keys_and_of_two_merges_wins() -> None:
    assert load_yaml("a: 1\na: 2\n") == {"a": 2}
    assert load_yaml("x: &x {p: 1}\ny: &y {p: 2}\nd:\n  <<: *x\n  <<: *y\n")["d"] == {"p": 2}
    assert load_yaml("x: &x {p: 1}\ny: &y {p: 2}\nd:\n  <<: [*x, *y]\n")["d"] == {"p": 1}
    assert load_yaml("x: &x {p: 1, q: 1}\nd: {<<: *x, p: 2}\n")["d"] == {"p": 2, "q": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: {<<: 5}", "expected a mapping or list of mappings for merging, but found scalar"),
        ("a: {<<: [5]}", "expected a mapping for merging, but found scalar"),
        ("a: !Ref x", "could not determine a constructor for the tag '!Ref'"),
        ("a: [1", "expected ',' or ']'"),
    ],
)
def test_yaml_errors_quote_the_line(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r'in "<unicode string>", line 1') as caught:
        load_yaml(text)
    assert words in str(caught.value)


def test_json_that_is_not_json_is_told_apart_from_json_that_is_too_deep() -> None:
    with pytest.raises(NotJSON):
        load_json("a: 1")
    deep = "[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2)
    with pytest.raises(ValueError, match="nesting is deeper") as caught:
        load_json(deep)
    assert not isinstance(caught.value, NotJSON)
    with pytest.raises(ValueError, match="nesting is deeper"):
        load_json("[" * 200_000)


def test_depth_is_bounded_in_yaml_too() -> None:
    just = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert load_yaml(f"a: {just}")
    with pytest.raises(ValueError, match="nesting is deeper"):
        load_yaml(f"a: [{just}]")
    with pytest.raises(ValueError, match=r"depth|deeper"):
        load_yaml("[" * 100_000)
    check_depth({"a": [{"b": 1}]})


def test_an_alias_bomb_is_refused_before_it_is_built() -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(ValueError, match="aliases stand for more data than is allowed"):
        load_yaml("\n".join(lines))


def test_a_long_text_repeated_by_aliases_is_refused() -> None:
    text = f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 400)}]\n"
    with pytest.raises(ValueError, match="aliases stand for more data"):
        load_yaml(text)


def test_merges_of_merges_do_not_grow() -> None:
    lines = ["m0: &m0 {a: 1, b: 2, c: 3}"]
    lines += [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 5)}]}}" for n in range(1, 6)]
    assert load_yaml("\n".join(lines))["m5"] == {"a": 1, "b": 2, "c": 3}


def test_a_value_inside_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="an alias stands inside the value that it names"):
        load_yaml("a: &a [*a]")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1,]", "Expecting value: line 1 column 4 (char 3)"),
        ('{"a": 1, }', "Expecting property name enclosed in double quotes: line 1 column 10"),
        ("[1", "Expecting ',' delimiter"),
    ],
)
def test_json_errors_read_the_same_on_all_pythons(text: str, words: str) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    assert words in json_error_text(caught.value)


def test_other_errors_keep_their_text() -> None:
    assert json_error_text(TypeError("x")) == "x"
