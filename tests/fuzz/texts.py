"""Texts of templates with bytes changed, and what must hold of them.

The loader reads a text or says what is wrong with it; and where heat_core.quick_yaml reads one,
it reads what PyYAML reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import yaml

from heat_app.validate.places import MarkedText
from heat_core import documents, quick_yaml
from heat_core.environment import parse_environment
from heat_core.template import parse_any, parse_text
from tests.fuzz.answers import Internal, is_users

SNIPPETS = (
    *(
        "&a ",
        "*a",
        "&a [*a]",
        "<<: *a\n",
        "<<: {a: b}",
        "<<",
        "!!str ",
        "!!binary ",
        "!!set {a, b}",
    ),
    *(
        "!!omap [a: 1]",
        "!!timestamp ",
        "!!int ",
        "!!float ",
        "!!null ",
        "!x ",
        "!<tag:a> ",
        "!!python/n",
    ),
    *(
        "%YAML 1.1\n---\n",
        "%TAG ! tag:x,2000:\n---\n",
        "---\n",
        "...\n",
        "--- ",
        "\n...\n---\n",
        "---\ta",
    ),
    *("\t", "  \t", "\n\t", ":\t", "\ufeff", "\ud800", "\udfff", "\x00", "\x07", "\x1b", "\x7f"),
    *("\x85", "\u2028", "\u2029", "\xa0", "\r\n", "\r", "\u200b", "\U0001f600", "\ufffe", "\uffff"),
    *('{"a": [1, 2]}', '{"a":1,}', '"\\u0041"', '"\\ud83d"', '"\\x41"', "[[[[", "{{{{", "[" * 300),
    *(
        "0o17",
        "017",
        "0x1F",
        "0b11",
        "1_000",
        "1:30",
        "190:20:30.15",
        "1e3",
        "1.5e+3",
        "+.inf",
        ".NaN",
    ),
    *("-0", "0.", ".5", "1.", "08", "0x", "0b", "_1", "1__2", "+1:30", "-1:2:3", "9" * 4000),
    *(
        "2001-12-14",
        "2001-12-14t21:59:43.10-05:00",
        "2001-12-14 21:59:43",
        "2001-99-99",
        "10:20:61",
    ),
    *("yes", "No", "on", "OFF", "y", "n", "~", "null", "Null", "NULL", "=", "true", "False", "nan"),
    *(
        ": ",
        " :",
        ":",
        "- ",
        "-",
        "? ",
        "?",
        " #",
        "#",
        ", ",
        "'",
        '"',
        "''",
        "| ",
        "|+2\n",
        ">-\n",
        "|\n",
    ),
    *(
        "\n",
        "\n\n",
        "\n  ",
        "\n    ",
        "\n ",
        " ",
        "  ",
        "{",
        "}",
        "[",
        "]",
        "@",
        "`",
        "%",
        "!",
        "|",
        ">",
    ),
    *(
        "? [a]\n: b\n",
        "? {a: b}\n: c\n",
        "[a]: b",
        "{a: b}: c",
        "a: b: c",
        "{a, b}",
        "{a: }",
        "{: b}",
    ),
    *(
        "[a: b]",
        "[a, , b]",
        "[,]",
        "- - a\n",
        "-\ta",
        "a:b",
        "a :b",
        "'a': b",
        '"a": b',
        "'a':b",
        '"a":b',
    ),
    *(
        "heat_template_version: 2018-08-31\n",
        "parameters: ",
        "resources:\n",
        "{get_param: a}",
        "OS::X::Y",
    ),
)
"""pieces of YAML's grammar, of its oddities and of what is none"""

OWN_TEXTS = (
    "heat_template_version: 2018-08-31\nparameters:\n  a: {type: string, default: 'x'}\n"
    "resources:\n  # note\n  r:\n    type: OS::Heat::Value\n    properties:\n"
    '      value: {list_join: [",", [a, {get_param: a}]]}\n    metadata:\n      - b: |\n'
    "          text\n            more\n\n        c: >-\n          folded\n          on\n"
    "outputs:\n  o: {value: {get_attr: [r, value]}}\n",
    'AWSTemplateFormatVersion: "2010-09-09"\nResources:\n  A:\n    Type: OS::Heat::None\n'
    "    Metadata: [1, 0x1f, 1.5, ~, yes]\n",
    "parameters:\n  a: &x {k: 1}\n  b: *x\nparameter_merge_strategies:\n  default: merge\n",
)

MAX_LINES = 40


def corpus(shared: Path | None) -> list[str]:
    """Texts to begin from: our own, and the examples and vectors where they are."""
    texts = list(OWN_TEXTS)
    if shared is not None:
        for path in sorted((shared / "examples").glob("*.*")):
            texts.append(path.read_text(encoding="utf-8"))
        for line in (shared / "vectors" / "parsing.jsonl").read_text(encoding="utf-8").split("\n"):
            text = json.loads(line)["input"].get("text") if line else None
            if isinstance(text, str) and len(text) < 20_000:
                texts.append(text)
    return texts


def mutated(random: Random, texts: Sequence[str]) -> str:
    """One of the texts, a part of it when it is long, with some of its bytes changed."""
    lines = random.choice(texts).splitlines(keepends=True)
    if len(lines) > MAX_LINES:
        start = random.randrange(len(lines) - MAX_LINES + 1)
        lines = lines[start : start + random.randint(1, MAX_LINES)]
        if random.random() < 0.8:
            lines.insert(0, "k:\n")
    text = "".join(lines)
    for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 5, 8))):
        text = random.choice(_CHANGES)(random, text, texts)
    return text


# --- changes ---------------------------------------------------------------------------------


def _put(random: Random, text: str, texts: Sequence[str]) -> str:
    at = random.randint(0, len(text))
    return text[:at] + random.choice(SNIPPETS) + text[at:]


def _put_at_a_value(random: Random, text: str, texts: Sequence[str]) -> str:
    spots = [at for at, char in enumerate(text) if char == ":" and text[at + 1 : at + 2] == " "]
    if not spots:
        return _put(random, text, texts)
    at = random.choice(spots) + 2
    end = text.find("\n", at) if random.random() < 0.5 else at
    return text[:at] + random.choice(SNIPPETS) + text[end if end >= 0 else at :]


def _drop(random: Random, text: str, texts: Sequence[str]) -> str:
    at = random.randint(0, len(text))
    return text[:at] + text[at + random.choice((1, 1, 2, 5, 20)) :]


def _double(random: Random, text: str, texts: Sequence[str]) -> str:
    at = random.randint(0, len(text))
    piece = text[at : at + random.randint(1, 40)]
    return text[:at] + piece * random.choice((2, 2, 3, 30)) + text[at:]


def _flip(random: Random, text: str, texts: Sequence[str]) -> str:
    content = bytearray(text.encode("utf-8", "surrogatepass"))
    if not content:
        return text
    content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    return content.decode("utf-8", random.choice(("surrogateescape", "replace")))


def _indent(random: Random, text: str, texts: Sequence[str]) -> str:
    lines = text.split("\n")
    at = random.randrange(len(lines))
    change = random.choice((1, 2, -1, -2, 4))
    for number in range(at, min(at + random.choice((1, 1, 3, 100)), len(lines))):
        line = lines[number]
        lines[number] = " " * change + line if change > 0 else line[-change:]
    return "\n".join(lines)


def _splice(random: Random, text: str, texts: Sequence[str]) -> str:
    other = random.choice(texts)
    at, end = random.randint(0, len(text)), random.randint(0, len(other))
    return text[:at] + other[end : end + 500]


def _recode(random: Random, text: str, texts: Sequence[str]) -> str:
    codec = random.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-32-be"))
    return text.encode(codec, "replace").decode(
        "latin-1" if random.random() < 0.5 else "utf-8", "replace"
    )


def _lines(random: Random, text: str, texts: Sequence[str]) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r", "\n\n", " \n", "\u2028")))


_CHANGES: tuple[Callable[[Random, str, Sequence[str]], str], ...] = (
    *(_put, _put, _put, _put_at_a_value, _put_at_a_value, _put_at_a_value),
    *(_drop, _drop, _double, _flip, _indent, _indent, _splice, _recode, _lines),
)


# --- what must hold --------------------------------------------------------------------------


def check_text(text: str) -> bool:
    """Whether the text is read as a map; AssertionError when what must hold does not."""
    accepted = False
    for load in (parse_any, parse_text, parse_environment):
        try:
            document = load(text)
        except Exception as error:
            if not is_users(error):
                raise Internal(f"{load.__name__}({text!r}): {error!r}") from error
            continue
        accepted = True
        assert isinstance(document, dict), text
        documents.check_depth(document)
    MarkedText(text).find("a.b[0]")
    _agrees(text)
    return accepted


def _agrees(text: str) -> None:
    try:
        quick = quick_yaml.read(text)
    except quick_yaml.Unusual:
        return
    try:
        slow = documents._load_bounded(text)
    except yaml.YAMLError as error:
        raise AssertionError(f"{text!r} is no YAML: {error}") from error
    assert _typed(quick) == _typed(slow), f"{text!r} is read as {quick!r}"


def _typed(value: Any) -> Any:
    """A value with its types and the order of its keys, which equality does not see."""
    if isinstance(value, dict):
        return ("map", [(_typed(key), _typed(item)) for key, item in value.items()])
    if isinstance(value, list):
        return ("list", [_typed(item) for item in value])
    return (type(value).__name__, repr(value))
