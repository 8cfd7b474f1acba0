"""The quick reader of YAML: what it reads is what PyYAML reads; anything else it refuses."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from heat_core import documents, quick_yaml


def _by_pyyaml(text: str) -> Any:
    return documents._load_bounded(text)


def _typed(value: Any) -> Any:
    """A value with its types and the order of its keys, which equality does not see."""
    if isinstance(value, dict):
        return ("map", [(_typed(key), _typed(item)) for key, item in value.items()])
    if isinstance(value, list):
        return ("list", [_typed(item) for item in value])
    return (type(value).__name__, repr(value))


def _agrees(text: str) -> bool:
    """Whether the text is read; fails when it is read otherwise than by PyYAML."""
    try:
        quick = quick_yaml.read(text)
    except quick_yaml.Unusual:
        return False
    try:
        slow = _by_pyyaml(text)
    except yaml.YAMLError as error:
        pytest.fail(f"{text!r} is no YAML: {error}")
    assert _typed(quick) == _typed(slow), text
    return True


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "---\na: b\n",
        "# note\n\na: b # more\n  # between\nb: 'it''s' # x\nc: \"d\" \n",
        'a: "tab\\tquote\\"line\\n back\\\\ slash\\/"\n',
        "a:\nb:\n  # nothing\nc: ~\nd: null\n",
        "a: yes\nb: Off\nc: 12\nd: -7\ne: 1.50\nf: 2018-08-31\ng: 10.0.0.0/24\nh: 1.2.3\n",
        "a: 5GB\nb: -x\nc: ./d\nd: .\ne: 2 to 3\nf: 2001:db8::1\ng: 11111111-2222-4333\nh: <n>\n",
        "OS::Heat::None: x\n$a.b: y\n'q k': z\n\"d\": w\n",
        "a:\n- b\n- c: 1\n  d: 2\n-   e: 3\n    f: 4\ng: h\n",
        "a:\n  - b:\n      - c\n  -\n    d: 1\n  - {e: f}\n  - [g, 'h', \"i\", 1]\n",
        "a: |\n  one\n    two\n\n  # no comment\nb: |-\n  x\n\n",
        "c: >\n  y\n  z\nd: >-\n  w\ne: |\nf: 1\n",
        "a: {b: c, 'd': [e, {f: g::h}], i: {}, j: [], k: a b , l: [x, ]}\n",
        "a: {b: c,\n    d: [e,\n  f], g: [\n  h]\n  }\nb: 1\n",
        "a: {get_param: x}\nb: {get_attr: [c, d]}\n",
        "a: b, c] d} e{ f[ - g ? h & i * j ! k % l @ m ` n\n",
        "a: b#c\nd: e'f\"g\n",
        "a: http://x:80/y\n",
        "a: 1\na: 2\n",
    ],
)
def test_what_people_write_is_read(text: str) -> None:
    assert _agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "# x\n", "a", "- a\n", "[a]\n", "{a: b}\n", "a: b\n--- \nc: d\n", "...\n"),
        *(
            "a: &x b\n",
            "a: *x\n",
            "a: !!str b\n",
            "<<: {a: b}\n",
            "a: <<\n",
            "a: =\n",
            "? a\n: b\n",
        ),
        *("a:\tb\n", "a: b\r\n", "a: \u2028\n", "\ufeffa: b\n", "a: \x07\n", "a: \U0001f600\n"),
        *("1: a\n", "yes: a\n", "a: {1: b}\n", "a: {yes: b}\n", "null: a\n"),
        *("a: 0x1f\n", "a: 017\n", "a: 1_000\n", "a: 1:30\n", "a: 1.5e+3\n"),
        *("a: .inf\n", "a: .nan\n", "a: 1234567890123456789012\n"),
        *("a: b: c\n", "a: b:\n", "a: - b\n", "a: -\n", "a b: c\n", "a: 'b' c\n", 'a: "b\n  c"\n'),
        *('a: "\\u0041"\n', "a: b\n  c\n", "a: 'b\n  c'\n", "  a: b\n", "a:\n  b\n"),
        *(
            "a:\n   b: c\n  d: e\n",
            "a: b\n c: d\n",
            "a:\n  - b\n c: d\n",
            "- a: b\n",
            "a:\n- - b\n",
        ),
        *("a: [b\n", "a: [b, c\nd: e\n", "a: [b}\n", "a: {b}\n", "a: [b: c]\n", "a: {b: c d: e}\n"),
        *(
            "a: [,]\n",
            "a: {b:c}\n",
            "a: {b:{c: d}}\n",
            'a: {"b":c}\n',
            "a: [b] c\n",
            "a: [b #c\n  ]\n",
        ),
        *(
            "a: |2\n    b\n",
            "a: |+\n  b\n",
            "a: |\n  b",
            "a: |\n     \n  b\n",
            "a: |\n  b\n c: d\n",
        ),
        *("a: >\n  b\n\n  c\n", "a: >\n  b\n    c\n", "a: | # x\n  b\n", "a: # x\n- # y\n  b\n"),
        *("a: 'b\n", "a: @b\n", "a: `b\n", "a: %b\n", "a: ,b\n", "a: ]b\n", "- # a\n", "a: [-]\n"),
        "k" * 1000 + ": v\n",
        "a: {" + "k" * 1000 + ": v}\n",
        "a: " + "[" * 70 + "]" * 70 + "\n",
        "\n".join(" " * depth + "a:" for depth in range(70)) + "\n",
    ],
)
def test_what_is_unusual_is_left_to_pyyaml(text: str) -> None:
    assert not _agrees(text)


def test_the_examples_are_read(shared: Path) -> None:
    paths = sorted((shared / "examples").glob("*.yaml"))
    read = [path for path in paths if _agrees(path.read_text(encoding="utf-8"))]
    assert len(read) >= 0.9 * len(paths)


def test_documents_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_load_bounded", lambda text: pytest.fail("PyYAML was asked"))
    assert documents.load_yaml("a: [b]\n") == {"a": ["b"]}


# --- generated texts -------------------------------------------------------------------------

_WORDS = """\
a b1 get_param OS::Heat::None yes null 2018-08-31 1 -2 0.5 1e3 10.0.0.1 it's a#b - <a> $p ~ 0x1 017
1:30 .inf [x x] { } , a,b * & ! % é #"""
_words = st.sampled_from([*_WORDS.split(), "x y", 'say "x"', "a #b", "a: b", "- x", ""])


@st.composite
def _inline(draw: st.DrawFn, depth: int = 0) -> str:
    kind = draw(st.integers(0, 6 if depth < 2 else 3))
    if kind == 0:
        return draw(_words)
    if kind == 1:
        return "'" + draw(_words).replace("'", "''") + "'"
    if kind == 2:
        return '"' + draw(_words).replace("\\", "\\\\").replace('"', '\\"') + '"'
    if kind == 3:
        return "{get_param: " + draw(_words) + "}"
    members = draw(st.lists(_inline(depth + 1), max_size=3))
    separator = draw(st.sampled_from([", ", ",", " , ", ",\n      "]))
    if kind == 4:
        return "[" + separator.join(members) + "]"
    keys = draw(st.lists(_words, min_size=len(members), max_size=len(members)))
    pairs = [f"{key}: {member}" for key, member in zip(keys, members, strict=True)]
    return "{" + separator.join(pairs) + "}"


@st.composite
def _block(draw: st.DrawFn, indent: int = 0, depth: int = 0) -> str:
    """Lines of a map or a list in a column."""
    space = " " * indent
    dash = draw(st.booleans()) if depth else False
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        start = space + ("- " if dash else draw(_words) + ":")
        kind = draw(st.integers(0, 4 if depth < 3 else 1))
        comment = draw(st.sampled_from(["", "", "", " # note", "  "]))
        if kind <= 1:
            gap = "" if dash else " "
            lines.append(start + gap + draw(_inline()) + comment)
        elif kind == 2:
            style = draw(st.sampled_from(["|", "|-", ">", ">-"]))
            text = draw(st.lists(st.sampled_from(["one", "  two", "", "# x", "a: b"]), max_size=3))
            deeper = space + " " * draw(st.integers(1, 3))
            lines.append(start + ("" if dash else " ") + style)
            lines.extend(deeper + line if line else line for line in text)
        else:
            step = draw(st.sampled_from([0, 1, 2, 4]))
            lines.append(start.rstrip(" ") + comment)
            lines.append(draw(_block(indent + step, depth + 1)))
        if draw(st.integers(0, 9)) == 0:
            lines.append(draw(st.sampled_from(["", "   ", "# note", space + "# note"])))
    return "\n".join(lines)


@settings(max_examples=300, deadline=None)
@given(_block(), st.sampled_from(["\n", "", "\n\n", "\n# end"]))
def test_generated_texts_are_read_alike_or_not_at_all(text: str, end: str) -> None:
    _agrees(text + end)


_FRAGMENTS = """: - # ' " { } [ ] , | > & ! ? % ~ null 1 1.5 0x1f \\ a --- <<"""
_fragments = st.sampled_from(
    [*_FRAGMENTS.split(), " ", "  ", "\n", "\n  ", ": ", "- ", " #", ", ", "&a ", "*a"]
)
_TEXT = "a:\n  - b: {c: [d, 'e']}\n    f: |\n      g\n  # h\n  - i: j k\nl:\n- 1.5\n- \"m\"\nn: o\n"


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(_TEXT)), st.integers(0, 3), _fragments)
@example(10, 0, "")
def test_a_text_with_one_thing_wrong_is_read_alike_or_not_at_all(
    at: int, removed: int, put: str
) -> None:
    _agrees(_TEXT[:at] + put + _TEXT[at + removed :])
