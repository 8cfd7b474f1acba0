"""From method and path to a handler, as the original's router decides it.

Routes are tried in order, group by group. After a group's own routes come, for each of its paths,
the answers to the methods that the path lacks: 405, and 204 with Allow for OPTIONS. So DELETE of
`/stacks/preview` is a look-up of a stack of that name, not a 405 (facts/routes.json,
native_method_matrix; rules/f-redirects.md#2, #10-13).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

ALL_METHODS = ("HEAD", "GET", "POST", "PUT", "PATCH", "DELETE")
_VARIABLE = re.compile(r"\{([a-z_]+)(?::([^}]*))?\}")


class Body(Enum):
    """What a handler does with a JSON body."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class Route:
    """One operation: `action` names its handler, `path` may hold {names} and {name:pattern}s."""

    name: str
    methods: tuple[str, ...]
    path: str
    action: str
    body: Body = Body.NONE


@dataclass(frozen=True, slots=True)
class Group:
    """Routes that share a prefix. `closed` False: methods that a path lacks are unknown routes."""

    prefix: str
    routes: tuple[Route, ...]
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """A route and the values of its path's names."""

    route: Route
    variables: dict[str, str]


@dataclass(frozen=True, slots=True)
class Refused:
    """The path is known, its method not: `allowed` lists those that are, OPTIONS asks for them."""

    allowed: str
    is_options: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    pattern: re.Pattern[str]
    methods: frozenset[str]
    outcome: Route | Refused


class Router:
    """Matches requests; built once."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._entries = tuple(entry for group in groups for entry in _entries(group))

    def match(self, method: str, path: str) -> Found | Refused | None:
        """The outcome for a request, None for a path that nobody knows."""
        for entry in self._entries:
            if method not in entry.methods:
                continue
            match = entry.pattern.match(path)
            if match is None:
                continue
            if isinstance(entry.outcome, Refused):
                return entry.outcome
            return Found(entry.outcome, match.groupdict())
        return None


def _entries(group: Group) -> list[_Entry]:
    entries = []
    allowed: dict[str, list[str]] = {}
    for route in group.routes:
        path = group.prefix + route.path
        entries.append(_Entry(compile_path(path), frozenset(route.methods), route))
        allowed.setdefault(path, []).extend(route.methods)
    if not group.closed:
        return entries
    for path, methods in allowed.items():
        pattern = compile_path(path)
        listed = ",".join(methods)
        missing = frozenset(ALL_METHODS) - frozenset(methods)
        entries.append(_Entry(pattern, missing, Refused(listed, is_options=False)))
        entries.append(_Entry(pattern, frozenset({"OPTIONS"}), Refused(listed, is_options=True)))
    return entries


def compile_path(path: str) -> re.Pattern[str]:
    """The pattern of a path: a {name} stands for one segment, {name:pattern} for that pattern."""
    pieces = []
    place = 0
    for variable in _VARIABLE.finditer(path):
        name, pattern = variable.groups()
        pieces.append(re.escape(path[place : variable.start()]))
        pieces.append(f"(?P<{name}>{pattern or '[^/]+?'})")
        place = variable.end()
    pieces.append(re.escape(path[place:]))
    return re.compile("^" + "".join(pieces) + "$")
