"""Where things are in a text: YAML nodes with their marks, found by the paths of errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

_MERGE = "tag:yaml.org,2002:merge"
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # as YAML counts lines
_INDEX = re.compile(r"\[(\d+)\]")
# Errors of references and of CFN name a field as CFN does, whatever the template's dialect.
_OTHER_SPELLINGS = {
    "Properties": "properties",
    "Metadata": "metadata",
    "DependsOn": "depends_on",
    "UpdatePolicy": "update_policy",
    "DeletionPolicy": "deletion_policy",
    "Type": "type",
    "Value": "value",
}
_ANY_WORD = re.compile(r"[^\s,\[\]{}]*")


@dataclass(frozen=True, slots=True)
class Place:
    """A spot in a text; line and column count from 1. `path` are the keys that lead there."""

    line: int
    column: int
    length: int = 1
    path: str = ""


@dataclass(frozen=True, slots=True)
class _Spot:
    """A node: of a value in a map the key too."""

    path: str
    key: yaml.Node | None
    value: yaml.Node


class MarkedText:
    """A YAML or JSON text in which things can be found; one that is neither has nothing in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._root = _compose(text)

    def line(self, number: int) -> str:
        """One line, numbered from 1; "" beyond the end."""
        lines = _LINE_END.split(self.text)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    # --- finding -----------------------------------------------------------------------------

    def find(self, path: str) -> Place | None:
        """The place of a dotted path, or of as much of it as is there; None for nothing at all.

        A key that holds dots counts as one. Numbers in brackets are indexes, or keys.
        """
        spot = self._walk(path)
        return None if spot is None or not spot.path else _place(spot)

    def has(self, path: str) -> bool:
        """Whether the whole of the path is there."""
        spot = self._walk(path)
        return spot is not None and spot.path == path

    def value_at(self, path: str) -> Any:
        """The scalar text at a path, a list of keys for a map, None for anything else."""
        spot = self._walk(path)
        if spot is None or spot.path != path:
            return None
        if isinstance(spot.value, yaml.MappingNode):
            return [key.value for key, _ in _pairs(spot.value)]
        return spot.value.value if isinstance(spot.value, yaml.ScalarNode) else None

    def place_of_value(self, path: str) -> Place | None:
        """The place of the value at a path, not of its key."""
        spot = self._walk(path)
        if spot is None or spot.path != path:
            return None
        return _place(_Spot(spot.path, None, spot.value))

    def entries(self, key: str, value: str | None = None) -> list[Place]:
        """The places of all entries with this key, and this value where one is given."""
        found = []
        for spot in self._spots():
            if spot.key is None or spot.key.value != key:
                continue
            if value is None:
                found.append(_place(spot))
            elif isinstance(spot.value, yaml.ScalarNode) and spot.value.value == value:
                found.append(_place(_Spot(spot.path, None, spot.value)))
        return found

    def written_twice(self) -> list[tuple[str, Place]]:
        """(key, place) of each key that the same map has again: it is the last that counts."""
        found = []
        for spot in self._spots():
            if not isinstance(spot.value, yaml.MappingNode):
                continue
            seen = set()
            for key, value in spot.value.value:
                if not isinstance(key, yaml.ScalarNode) or key.tag == _MERGE:
                    continue
                if _identity(key) in seen:
                    path = _joined(spot.path, str(key.value))
                    found.append((str(key.value), _place(_Spot(path, key, value))))
                seen.add(_identity(key))
        return found

    def scalars(self, text: str, below: str = "") -> list[Place]:
        """The places of all scalar values with this text, below a path."""
        return [
            _place(_Spot(spot.path, None, spot.value))
            for spot in self._spots()
            if isinstance(spot.value, yaml.ScalarNode)
            and spot.value.value == text
            and spot.path.startswith(below)
        ]

    def _walk(self, path: str) -> _Spot | None:
        if self._root is None:
            return None
        spot = _Spot("", None, self._root)
        rest = path
        while rest:
            step = _step(spot, rest)
            if step is None:
                return spot
            spot, rest = step
        return spot

    def _spots(self) -> Iterator[_Spot]:
        waiting = [] if self._root is None else [_Spot("", None, self._root)]
        seen: set[int] = set()
        while waiting:
            spot = waiting.pop()
            if id(spot.value) in seen:
                continue  # an alias
            seen.add(id(spot.value))
            yield spot
            waiting.extend(reversed(list(_children(spot))))


def _compose(text: str) -> yaml.Node | None:
    for attempt in (text, text.replace("\t", " ")):  # JSON may have tabs where YAML has none
        try:
            node: yaml.Node | None = yaml.CSafeLoader(attempt).get_single_node()
        except (yaml.YAMLError, UnicodeError, RecursionError):
            continue
        return node
    return None


def _pairs(
    node: yaml.MappingNode, above: tuple[yaml.MappingNode, ...] = ()
) -> list[tuple[yaml.Node, yaml.Node]]:
    """The entries of a map that count, then those merged into it; `above` are those it is in."""
    merged = []
    found: dict[Any, tuple[yaml.Node, yaml.Node]] = {}
    for key, value in node.value:
        if key.tag == _MERGE:
            merged.append(value)
        else:
            found[_identity(key)] = (key, value)
    above = (*above, node)
    for value in merged:
        for one in value.value if isinstance(value, yaml.SequenceNode) else [value]:
            if isinstance(one, yaml.MappingNode) and one not in above:
                for pair in _pairs(one, above):
                    found.setdefault(_identity(pair[0]), pair)
    return list(found.values())


def _identity(key: yaml.Node) -> Any:
    return (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key)


def _children(spot: _Spot) -> Iterator[_Spot]:
    if isinstance(spot.value, yaml.MappingNode):
        for key, value in _pairs(spot.value):
            yield _Spot(_joined(spot.path, str(key.value)), key, value)
    elif isinstance(spot.value, yaml.SequenceNode):
        for index, value in enumerate(spot.value.value):
            yield _Spot(f"{spot.path}[{index}]", None, value)


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _step(spot: _Spot, rest: str) -> tuple[_Spot, str] | None:
    """The child that `rest` begins with, and what of it is left."""
    index = _INDEX.match(rest)
    if isinstance(spot.value, yaml.SequenceNode):
        members = spot.value.value
        if index is None or int(index[1]) >= len(members):
            return None
        child = _Spot(f"{spot.path}{index[0]}", None, members[int(index[1])])
        return child, _after(rest, index[0])
    if not isinstance(spot.value, yaml.MappingNode):
        return None
    found: tuple[str, str, yaml.Node, yaml.Node] | None = None
    for key, value in _pairs(spot.value):
        name = str(key.value)
        for spelled in _spellings(name, index):
            fits = rest == spelled or rest.startswith((f"{spelled}.", f"{spelled}["))
            if fits and (found is None or len(name) > len(found[0])):
                found = name, spelled, key, value
    if found is None:
        return None
    name, spelled, key, value = found
    return _Spot(_joined(spot.path, name), key, value), _after(rest, spelled)


def _spellings(name: str, index: re.Match[str] | None) -> tuple[str, ...]:
    if index is not None:
        return (f"[{name}]",)
    return (name, *(cfn for cfn, hot in _OTHER_SPELLINGS.items() if hot == name))


def _after(rest: str, part: str) -> str:
    return rest[len(part) :].removeprefix(".")


def _place(spot: _Spot) -> Place:
    node = spot.value if spot.key is None else spot.key
    start, end = node.start_mark, node.end_mark
    length = 1
    if isinstance(node, yaml.ScalarNode) and end.line == start.line:
        length = max(end.column - start.column, 1)
    return Place(start.line + 1, start.column + 1, length, spot.path)


def place_in_message(message: str) -> Place | None:
    """The last place that a parser's message names: "line 3, column 5"."""
    found = re.findall(r"line (\d+),? column (\d+)", message)
    if not found:
        return None
    line, column = found[-1]
    return Place(int(line), int(column))
