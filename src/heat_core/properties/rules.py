"""Translation rules: how a type turns what users may write into what it works with.

Sources: rules/d-properties.md#27-31, facts/resource-types (`translation_rules`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class RuleKind(IntEnum):
    """Kinds in the order in which the rules of one property apply."""

    ADD = 0
    REPLACE = 1
    RESOLVE = 2
    DELETE = 3

    @property
    def shown(self) -> str:
        return self.name.title()


_SHOWN_KINDS = {kind.shown: kind for kind in RuleKind}


@dataclass(frozen=True, slots=True)
class Finder:
    """Names the look-up behind a Resolve rule: a client, its finder, and what to look for."""

    client: str
    finder: str
    entity: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule for the property at `path`; list indexes are no part of paths.

    Add extends a list with `value`, or with the value at `value_path`. Replace takes the value of
    the sibling `value_name`, or of `value_path`, or `value`, and empties where it came from.
    Resolve asks a finder for an id. Delete drops what was given. ValueError for a rule that
    contradicts itself.
    """

    kind: RuleKind
    path: tuple[str, ...]
    value: Any = None
    value_name: str | None = None
    value_path: tuple[str, ...] | None = None
    custom_value_path: tuple[str, ...] = ()
    finder: Finder | None = None

    def __post_init__(self) -> None:
        given = [self.value_path is not None, bool(self.value), self.value_name is not None]
        if given.count(True) > 1:
            raise ValueError(
                '"value_path", "value" and "value_name" are mutually exclusive and cannot be '
                "specified at the same time."
            )
        if self.kind is RuleKind.ADD and self.value and not isinstance(self.value, list):
            raise ValueError('"value" must be list type when rule is Add.')
        if self.kind is RuleKind.RESOLVE and self.finder is None:
            raise ValueError('"client_plugin" and "finder" should be specified for Resolve rule')

    @classmethod
    def read(cls, kind: str, path: Any, **rest: Any) -> Rule:
        """A rule from its spelling in facts and vectors, with Heat's texts for bad ones."""
        if kind not in _SHOWN_KINDS:
            raise ValueError(
                f"There is no rule {kind}. List of allowed rules is: Add, Replace, Delete, Resolve."
            )
        if not isinstance(path, list) or not path:
            raise ValueError('"translation_path" should be non-empty list with path to translate.')
        return cls(kind=_SHOWN_KINDS[kind], path=tuple(path), **rest)

    @property
    def key(self) -> str:
        return ".".join(self.path)

    def source(self, *, whole: bool = False) -> tuple[str, ...]:
        """Path of the value that the rule takes; `whole`: a sibling's from the top as well."""
        if self.value_name:
            parents = self.path[:-1] if whole else ()
            return (*parents, self.value_name, *self.custom_value_path)
        return (*(self.value_path or ()), *self.custom_value_path)


@dataclass(frozen=True, slots=True)
class RuleTable:
    """The rules of a type, sorted for use: by the property that they are for.

    `deleted` and `replaced` are the paths whose own values a rule takes away.
    """

    by_path: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    deleted: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    maps: frozenset[str] = field(init=False)
    """paths of the maps and lists that these properties stand in, "" for the outermost map

    Indexes are no part of paths: what a rule says of a list it says of each of its members.
    """
    names: Mapping[str, frozenset[str]] = field(init=False)
    """the properties that have rules, by the path of the map that they stand in"""

    def __post_init__(self) -> None:
        paths = {*self.by_path, *self.deleted, *self.replaced}
        outer = {path.rpartition(".")[0] for path in paths}
        object.__setattr__(self, "maps", frozenset(outer | paths))
        names: dict[str, set[str]] = {}
        for path in self.by_path:
            place, _, name = path.rpartition(".")
            names.setdefault(place, set()).add(name)
        by_place = {place: frozenset(found) for place, found in names.items()}
        object.__setattr__(self, "names", by_place)

    @classmethod
    def of(cls, rules: Iterable[Rule], *, resolve: bool = True) -> RuleTable:
        """The table of these rules, without Resolve rules if those are not wanted."""
        by_path: dict[str, list[Rule]] = {}
        deleted, replaced = set(), set()
        for rule in rules:
            if rule.kind is RuleKind.RESOLVE and not resolve:
                continue
            by_path.setdefault(rule.key, []).append(rule)
            if rule.kind is RuleKind.DELETE:
                deleted.add(rule.key)
            elif rule.kind is RuleKind.REPLACE:
                replaced.add(".".join(rule.source(whole=True)))
        return cls(
            {
                path: tuple(sorted(of_path, key=lambda rule: rule.kind))
                for path, of_path in by_path.items()
            },
            frozenset(deleted),
            frozenset(replaced),
        )


def add(path: Sequence[str], **source: Any) -> Rule:
    """Extend a list."""
    return Rule(kind=RuleKind.ADD, path=tuple(path), **source)


def replace(path: Sequence[str], **source: Any) -> Rule:
    """Take the value of another property."""
    return Rule(kind=RuleKind.REPLACE, path=tuple(path), **source)


def resolve(path: Sequence[str], client: str, finder: str, entity: str | None = None) -> Rule:
    """Turn a name into an id."""
    return Rule(kind=RuleKind.RESOLVE, path=tuple(path), finder=Finder(client, finder, entity))


def delete(path: Sequence[str]) -> Rule:
    """Drop what was given."""
    return Rule(kind=RuleKind.DELETE, path=tuple(path))
