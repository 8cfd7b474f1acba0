"""Reads the YAML that people write in templates, three times as fast as PyYAML on libyaml.

Only a part of the language, in which nothing means two things: block maps and lists by
indentation, one-line plain and quoted scalars, flow collections, literal and simple folded blocks,
comments. Whatever else a text has (anchors, tags, merges, tabs, escapes, scalars over several
lines, keys that are no text, several documents, and every mistake) makes it `Unusual`, and the
caller asks PyYAML, whose answer is the one that counts. What is read is equal to that answer, value
for value (tests/unit/heat_core/test_quick_yaml.py compares the two).

Why it is here: libyaml only makes the events, and PyYAML's composer and constructor, in Python,
take most of the time of yaml.CSafeLoader, which is the fastest of it. With it the templates of
bench/template.py took 11.8 and 162 ms to parse (100 and 1000 resources), with this module 3.7 and
43 ms. That is 8 of 30 and 119 of 364 ms for parse, validate and resolve together: ten times as fast
as Heat instead of seven times. The libraries that are faster read YAML 1.2, where `yes` and
`017` mean something else, and their errors have other texts than Heat's. What it costs is bounded
by the way it gives up: a mistake in it can only be a text that both read and read differently, and
that is what tests/fuzz/texts.py looks for.

Scalars are those of YAML 1.1 with timestamps left as text (rules/a-template-versions.md#3).
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

MAX_DEPTH: Final = 60


class Unusual(Exception):
    """The text is not in the part of YAML that is read here, or no YAML at all."""


# Anything else may be a line break, invisible, or refused by YAML.
_OTHER_CHARACTER = re.compile(r"[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]")

_KEY = r"[A-Za-z_$/][A-Za-z0-9_$./*-]*(?:::[A-Za-z0-9_$./*-]+)*"
_ENTRY = re.compile(rf"(?:({_KEY})|'([^'\n]*)'|\"([^\"\\\n]*)\"):(?: +(.*))?$")
_MAX_KEY: Final = 900
"""a key that is longer is none for libyaml"""

_WORDS: dict[str, Any] = {
    **dict.fromkeys(("yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~"), None),
}
_OTHER_START = frozenset("0123456789+-.<=")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})$")
_FLOAT = re.compile(r"[-+]?[0-9]{1,15}\.[0-9]{0,15}$")
_TAGS: Final = yaml.SafeLoader.yaml_implicit_resolvers
"""what PyYAML makes of plain text, by its first character"""
_TIMESTAMP: Final = "tag:yaml.org,2002:timestamp"
_PLAIN_START = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_/$(\\^;~0123456789+-.<="
)
_NOT_PLAIN = re.compile(r":(?: |$)")
_COMMENT = re.compile(r" +#.*$")
_REST = re.compile(r" *(?: #.*)?$")
_SINGLE = re.compile(r"'((?:[^'\n]|'')*)'")
_DOUBLE = re.compile(r"\"((?:[^\"\\\n]|\\[nt\"\\/])*)\"")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}

_FLOW_CHARACTER = r"[A-Za-z0-9_./$%@+*()<>=~^;!-]"
_FLOW_TOKEN = re.compile(
    r" *(?:([\[\]{},])"
    r"|(:)(?= |$)"
    r"|'((?:[^'\n]|'')*)'"
    r"|\"((?:[^\"\\\n]|\\[nt\"\\/])*)\""
    rf"|((?:-(?={_FLOW_CHARACTER})|[A-Za-z0-9_./$+<(^~;])"
    rf"(?:{_FLOW_CHARACTER}|:(?=[A-Za-z0-9_/:])| (?= *{_FLOW_CHARACTER}))*)"
    r")"
)
# By far the most frequent: {get_param: name} and the like.
_CALL = re.compile(r"\{([a-z_]{1,40}): ([A-Za-z_][A-Za-z0-9_]*)\}$")


def read(text: str) -> dict[Any, Any]:
    """The map that is the one document in `text`. Unusual for everything else."""
    if _OTHER_CHARACTER.search(text) is not None:
        raise Unusual
    reader = _Reader(text)
    return reader.document()


class _Reader:
    __slots__ = ("_depth", "_ends", "_lines")

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._ends = text.endswith("\n")
        self._depth = 0

    def document(self) -> dict[Any, Any]:
        start = 1 if self._lines[0] == "---" else 0
        document, end = self._map(start, 0)
        if end != len(self._lines) or not document:
            raise Unusual
        return document

    # --- blocks ------------------------------------------------------------------------------

    def _map(self, at: int, indent: int) -> tuple[dict[Any, Any], int]:
        """The map whose keys stand in column `indent`, and the line after it."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unusual
        lines = self._lines
        count = len(lines)
        entry = _ENTRY.match
        found: dict[Any, Any] = {}
        while at < count:
            line = lines[at]
            content = line.lstrip(" ")
            if not content or content[0] == "#":
                at += 1
                continue
            column = len(line) - len(content)
            if column != indent:
                if column > indent:
                    raise Unusual
                break
            match = entry(content)
            if match is None:
                if content[0] == "-" and found:
                    break  # the list that goes on is another's, or it is a mistake
                raise Unusual
            key, single, double, rest = match.groups()
            if key is None:
                key = double if single is None else single
            elif key in _WORDS:
                raise Unusual
            if len(key) > _MAX_KEY:
                raise Unusual
            at += 1
            if rest:
                call = _CALL.match(rest)
                if call is not None and call[2] not in _WORDS and call[1] not in _WORDS:
                    found[key] = {call[1]: call[2]}
                else:
                    found[key], at = self._inline(rest, at, indent)
            else:
                found[key], at = self._below(at, indent, in_map=True)
        self._depth -= 1
        return found, at

    def _list(self, at: int, indent: int) -> tuple[list[Any], int]:
        """The list whose dashes stand in column `indent`, and the line after it."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unusual
        lines = self._lines
        found: list[Any] = []
        while at < len(lines):
            line = lines[at]
            content = line.lstrip(" ")
            if not content or content[0] == "#":
                at += 1
                continue
            column = len(line) - len(content)
            if column != indent:
                if column > indent:
                    raise Unusual
                break
            if content[0] != "-":
                break
            if content == "-":
                value, at = self._below(at + 1, indent, in_map=False)
            elif content[1] != " ":
                raise Unusual
            else:
                value, at = self._item(content, at, indent)
            found.append(value)
        self._depth -= 1
        return found, at

    def _item(self, content: str, at: int, indent: int) -> tuple[Any, int]:
        """What follows a dash in its line."""
        item = content[2:].lstrip(" ")
        if not item or item[0] == "#" or item[:2] == "- " or item == "-":
            raise Unusual
        if item[0] not in "{[" and _ENTRY.match(item) is not None:
            # A map begins in the dash's line: as if its first key stood alone in it.
            column = indent + len(content) - len(item)
            self._lines[at] = " " * column + item
            return self._map(at, column)
        return self._inline(item, at + 1, indent)

    def _below(self, at: int, indent: int, *, in_map: bool) -> tuple[Any, int]:
        """The value in the lines below a key or a dash; None when there is none."""
        lines = self._lines
        while at < len(lines):
            line = lines[at]
            content = line.lstrip(" ")
            if content and content[0] != "#":
                break
            at += 1
        else:
            return None, at
        column = len(line) - len(content)
        is_list = content[0] == "-" and (len(content) == 1 or content[1] == " ")
        if column > indent:
            return self._list(at, column) if is_list else self._map(at, column)
        if is_list and in_map and column == indent:
            return self._list(at, column)
        return None, at

    # --- values in a line --------------------------------------------------------------------

    def _inline(self, rest: str, at: int, indent: int) -> tuple[Any, int]:
        """The value that begins after a key or a dash, and the line after it."""
        first = rest[0]
        if first in _PLAIN_START:
            return _plain(rest), at
        if first in "{[":
            return self._flow(rest, at, indent)
        if first == "'":
            match = _SINGLE.match(rest)
            if match is None or _REST.match(rest, match.end()) is None:
                raise Unusual
            return match[1].replace("''", "'"), at
        if first == '"':
            match = _DOUBLE.match(rest)
            if match is None or _REST.match(rest, match.end()) is None:
                raise Unusual
            return _unescaped(match[1]), at
        if first in "|>":
            return self._block(rest, at, indent)
        if first == "#":  # only a key has it: _item refuses a comment after a dash
            return self._below(at, indent, in_map=True)
        raise Unusual

    def _block(self, rest: str, at: int, indent: int) -> tuple[str, int]:
        """A literal or folded block: all lines that are further in than the key."""
        style = rest.rstrip(" ")
        if style not in ("|", "|-", ">", ">-"):
            raise Unusual
        lines = self._lines
        count = len(lines)
        taken: list[str] = []
        inner = 0
        while at < count:
            line = lines[at]
            content = line.lstrip(" ")
            column = len(line) - len(content)
            if not content:
                if (not inner and column) or column > inner:
                    raise Unusual  # how many of the blanks belong to it is not plain
                taken.append("")
            elif not inner:
                if column <= indent:
                    break
                inner = column
                taken.append(content)
            elif column < inner:
                if column > indent:
                    raise Unusual
                break
            else:
                taken.append(line[inner:])
            at += 1
        if at >= count and not self._ends:
            raise Unusual
        while taken and not taken[-1]:
            taken.pop()
        if not taken:
            return "", at
        if style[0] == ">":
            if any(not line or line[0] == " " for line in taken):
                raise Unusual
            text = " ".join(taken)
        else:
            text = "\n".join(taken)
        return (text if style.endswith("-") else text + "\n"), at

    def _flow(self, rest: str, at: int, indent: int) -> tuple[Any, int]:
        """A flow collection, over several lines where each ends between two of its members."""
        while True:
            tokens: list[tuple[str, ...]] = []
            depth = position = 0
            scan = _FLOW_TOKEN.match
            while True:
                match = scan(rest, position)
                if match is None:
                    break
                position = match.end()
                mark = match[1]
                tokens.append(match.groups())
                if mark is None:
                    continue
                if mark in "{[":
                    depth += 1
                elif mark in "]}":
                    depth -= 1
                    if not depth:
                        if _REST.match(rest, position) is None:
                            raise Unusual
                        return _Flow(tokens).value(), at
            if rest[position:].strip(" ") or at >= len(self._lines):
                raise Unusual
            line = self._lines[at]
            content = line.lstrip(" ")
            if not content or len(line) - len(content) <= indent or content[0] == "#":
                raise Unusual
            if rest.rstrip(" ")[-1] not in ",[{" and content[0] not in "]}":
                raise Unusual
            rest = f"{rest.rstrip(' ')} {content}"
            at += 1


class _Flow:
    """A flow collection from its tokens."""

    __slots__ = ("_at", "_depth", "_tokens")

    def __init__(self, tokens: list[tuple[str, ...]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def value(self) -> Any:
        mark, _, single, double, plain = self._tokens[self._at]
        self._at += 1
        if plain is not None:
            return _scalar(plain)
        if mark == "{":
            return self._map()
        if mark == "[":
            return self._list()
        if single is not None:
            return single.replace("''", "'")
        if double is not None:
            return _unescaped(double)
        raise Unusual

    def _list(self) -> list[Any]:
        self._enter()
        found: list[Any] = []
        tokens = self._tokens
        while tokens[self._at][0] != "]":
            found.append(self.value())
            mark = tokens[self._at][0]
            if mark == ",":
                self._at += 1
            elif mark != "]":
                raise Unusual
        self._at += 1
        self._depth -= 1
        return found

    def _map(self) -> dict[Any, Any]:
        self._enter()
        found: dict[Any, Any] = {}
        tokens = self._tokens
        while tokens[self._at][0] != "}":
            _, _, single, double, plain = tokens[self._at]
            if plain is not None:
                key = _scalar(plain)
                if type(key) is not str:
                    raise Unusual
            elif single is not None:
                key = single.replace("''", "'")
            elif double is not None:
                key = _unescaped(double)
            else:
                raise Unusual
            if tokens[self._at + 1][1] is None or len(key) > _MAX_KEY:
                raise Unusual
            self._at += 2
            found[key] = self.value()
            mark = tokens[self._at][0]
            if mark == ",":
                self._at += 1
            elif mark != "}":
                raise Unusual
        self._at += 1
        self._depth -= 1
        return found

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unusual


def _plain(rest: str) -> Any:
    """The value of a plain scalar in a block, a comment after it cut off."""
    if "#" in rest:
        rest = _COMMENT.sub("", rest)
    if ":" in rest and _NOT_PLAIN.search(rest) is not None:
        raise Unusual
    rest = rest.rstrip(" ")
    if rest[0] == "-" and (len(rest) == 1 or rest[1] == " "):
        raise Unusual
    return _scalar(rest)


def _scalar(text: str) -> Any:
    """The value of plain text."""
    first = text[0]
    if first not in _OTHER_START:
        return _WORDS.get(text, text)
    if _INTEGER.match(text) is not None:
        return int(text)
    if _FLOAT.match(text) is not None:
        return float(text)
    for tag, pattern in _TAGS[first]:
        if pattern.match(text) is not None:
            if tag == _TIMESTAMP:
                return text
            raise Unusual
    return text


def _unescaped(text: str) -> str:
    """What stands between double quotes, its escapes replaced."""
    return _ESCAPE.sub(lambda match: _ESCAPED[match[1]], text) if "\\" in text else text
