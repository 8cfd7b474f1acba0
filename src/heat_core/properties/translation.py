"""Applies translation rules to the values of one Properties object.

Every property is keyed by its dotted path; the rules of a path apply in the order of RuleKind.
Translated values are kept, so that a property read twice is translated once, and so that a value
which a rule took away from its old place reads as null there (rules/d-properties.md#27-31).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from heat_core.errors import StackValidationFailed
from heat_core.properties.answers import Answers
from heat_core.properties.rules import Finder, Rule, RuleKind, RuleTable

if TYPE_CHECKING:
    from heat_core.properties.properties import Properties


_NO_RULES: Mapping[str, tuple[Rule, ...]] = {}


class Translation:
    """The rules of one Properties object and the values translated so far."""

    __slots__ = (
        "_active",
        "_answers",
        "_ignore_errors",
        "_keep",
        "_maps",
        "_names",
        "_properties",
        "_rules",
        "_translated",
        "_translated_names",
        "_withdrawn",
    )

    def __init__(self, properties: Properties, answers: Answers) -> None:
        self._properties = properties
        self._answers = answers
        self._rules: Mapping[str, tuple[Rule, ...]] = _NO_RULES
        self._names: Mapping[str, frozenset[str]] = {}
        self._translated: dict[str, Any] = {}
        self._translated_names: dict[str, set[str]] = {}
        self._withdrawn: frozenset[str] = frozenset()
        self._maps: frozenset[str] = frozenset()
        # Off while a rule reads a value as the user wrote it; prevents endless recursion too.
        self._active = True
        self._keep = True
        self._ignore_errors = False

    def set_rules(
        self, rules: Iterable[Rule], *, resolve: bool = True, ignore_errors: bool = False
    ) -> None:
        """Use these rules from now on; no rules at all leave the former ones in force.

        `resolve` false drops Resolve rules and keeps no translated value; `ignore_errors` leaves a
        value alone when its finder fails (rules/d-properties.md#30).
        """
        rules = list(rules)
        if rules:
            table = RuleTable.of(rules, resolve=resolve)
            self.use(table, resolve=resolve, ignore_errors=ignore_errors)

    def use(self, table: RuleTable, *, resolve: bool = True, ignore_errors: bool = False) -> None:
        """The same for rules that are sorted already and that are not none at all."""
        self._rules = table.by_path
        self._names = table.names
        self._keep = resolve
        self._ignore_errors = ignore_errors
        # What earlier rules took away stays away.
        self._withdrawn |= table.deleted | table.replaced
        self._maps |= table.maps

    def touches(self, path: str) -> bool:
        """Whether a property of the map at this path may be translated or withdrawn."""
        maps = self._maps
        return bool(maps) and self._active and (path in maps or _without_indexes(path) in maps)

    def withdrawn(self, path: str) -> bool:
        """Whether a rule deletes or moves away what the user gives at this path."""
        return self._active and bool(self._withdrawn) and _without_indexes(path) in self._withdrawn

    def covers(self, path: str) -> bool:
        """Whether translating this path may change its value."""
        if not self._active or not (self._rules or self._translated):
            return False
        key = _without_indexes(path)
        return key in self._rules or key in self._translated

    def covered_in(self, path: str) -> Set[str]:
        """The names of the properties of the map at this path that `covers` holds for."""
        if not self._active:
            return frozenset()
        place = _without_indexes(path)
        by_rules = self._names.get(place, frozenset())
        translated = self._translated_names.get(place)
        return by_rules | translated if translated else by_rules

    def forget(self) -> None:
        """Drop the values translated so far: more answers have come in."""
        self._translated.clear()
        self._translated_names.clear()

    def translate(
        self,
        path: str,
        value: Any = None,
        data: Mapping[Any, Any] | None = None,
        *,
        validate: bool = False,
    ) -> Any:
        """The value at `path` after its rules; `data` is the map that the property stands in."""
        if path in self._translated:
            return self._translated[path]
        for rule in self._rules.get(_without_indexes(path), ()):
            match rule.kind:
                case RuleKind.DELETE:
                    value = self._kept(path, None)
                case RuleKind.REPLACE:
                    value = self._replace(path, rule, value, data, validate)
                case RuleKind.ADD:
                    value = self._add(path, rule, value, data, validate)
                case RuleKind.RESOLVE:
                    value = self._kept(path, self._find(rule.finder, value))
        return value

    def _kept(self, path: str, value: Any) -> Any:
        if self._keep:
            self._translated[path] = value
            place, _, name = path.rpartition(".")
            self._translated_names.setdefault(place, set()).add(name)
            key = _without_indexes(path)
            self._maps |= {key, key.rpartition(".")[0]}
        return value

    def _read(self, path: tuple[str, ...], source: Any, validate: bool) -> Any:
        self._active = False
        try:
            return _value_at(path, source, validate)
        finally:
            self._active = True

    def _add(
        self, path: str, rule: Rule, value: Any, data: Mapping[Any, Any] | None, validate: bool
    ) -> Any:
        if value is None:
            value = []
        if not isinstance(value, list):
            raise ValueError(
                "Incorrect translation rule using - cannot resolve Add rule for non-list "
                f'translation value "{path}".'
            )
        source = rule.source()
        added: Any = rule.value
        if not added and source:
            if self.covers(".".join(source)):
                self.translate(".".join(source), data=data)
            added = self._read(source, data if rule.value_name else self._properties, validate)
        if added is None:
            added = []
        return self._kept(path, [*value, *(added if isinstance(added, list) else [added])])

    def _replace(
        self, path: str, rule: Rule, value: Any, data: Mapping[Any, Any] | None, validate: bool
    ) -> Any:
        source = rule.source(whole=True)
        if not source:
            result = rule.value if rule.value else value
            return self._kept(path, result)
        near = rule.source()
        is_sibling = rule.value_name is not None
        source_path = ".".join((*path.split(".")[:-1], *near) if is_sibling else source)
        taken = self._read(
            near if is_sibling else source, data if is_sibling else self._properties, validate
        )
        if self.covers(source_path):
            self.translate(source_path, taken, data)
        if taken and value:
            names = f"{_without_indexes(path)}, {'.'.join(source)}"
            raise StackValidationFailed(
                message=f"Cannot define the following properties at the same time: {names}"
            )
        result = self._kept(path, value if taken is None else taken)
        self._kept(source_path, None)
        return result

    def _find(self, finder: Finder | None, value: Any) -> Any:
        if finder is None:
            raise AssertionError("a Resolve rule always has a finder")
        if not value:
            # Nothing to look up, and nothing stays: an empty text becomes null as well.
            return None
        if isinstance(value, list):
            return [self._find(finder, item) for item in value]
        try:
            return self._answers.find(finder, value)
        except Exception:
            if self._ignore_errors:
                return value
            raise


@lru_cache(maxsize=8192)
@lru_cache(maxsize=4096)
def _without_indexes(path: str) -> str:
    return ".".join(part for part in path.split(".") if not part.isdigit())


def _value_at(path: tuple[str, ...], source: Any, validate: bool) -> Any:
    if not source:
        return None
    key, rest = path[0], path[1:]
    value = source.get(key) if isinstance(source, dict) else source.read(key, validate=validate)
    if not rest or value is None:
        return value
    if isinstance(value, list):
        return [_value_at(rest, item, False) for item in value]
    return _value_at(rest, value, False) if isinstance(value, dict) else None
