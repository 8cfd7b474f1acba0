"""Constraints on values: shared by properties and parameters.

A constraint is a frozen value that knows its own form (`as_dict`, HOT spelling) and how to check a
value. What only a service can say (custom constraints) comes in through `Checks`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from heat_core.errors import InvalidSchemaError
from heat_core.properties.kinds import Kind, as_kind, number_from
from heat_core.properties.local_checks import check_locally
from heat_core.properties.patterns import Matcher, check_pattern, match_isolated, matches_whole

type CustomChecker = Callable[[str, Any], str | None]
"""(constraint name, value) -> None when valid, else the text for the user"""


@dataclass(frozen=True, slots=True)
class Checks:
    """Ports of the constraints: what judges a custom constraint, and what runs a pattern."""

    custom: CustomChecker = check_locally
    matcher: Matcher = match_isolated


LOCAL_CHECKS = Checks()


class Constraint(Protocol):
    """What every constraint can do."""

    kinds: ClassVar[frozenset[Kind]]

    @property
    def description(self) -> str | None: ...

    def check(
        self,
        value: Any,
        kind: Kind | None = None,
        shown_kind: str | None = None,
        checks: Checks = LOCAL_CHECKS,
    ) -> None:
        """Raise ValueError with the user's text, or with the constraint's own description."""

    def as_dict(self) -> dict[str, Any]:
        """The HOT spelling: `{"range": {"min": 1}, "description": ...}`."""


_NUMERIC = frozenset({Kind.INTEGER, Kind.NUMBER})
_SIZED = frozenset({Kind.STRING, Kind.LIST, Kind.MAP})
_LISTED = frozenset({Kind.STRING, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN, Kind.LIST})


def _described(form: dict[str, Any], description: str | None) -> dict[str, Any]:
    return form if description is None else {"description": description, **form}


def _bounds(low: float | None, high: float | None) -> dict[str, Any]:
    return {key: bound for key, bound in (("min", low), ("max", high)) if bound is not None}


def _must_be_numeric(what: str, *values: Any) -> None:
    if any(not isinstance(value, float | int | None) for value in values):
        raise InvalidSchemaError(message=f"{what} must be numeric")


@dataclass(frozen=True, slots=True)
class Range:
    """The value lies between two bounds, both included."""

    kinds: ClassVar[frozenset[Kind]] = _NUMERIC
    min: float | None = None
    max: float | None = None
    description: str | None = None

    def __post_init__(self) -> None:
        _must_be_numeric("min/max", self.min, self.max)
        if self.min is None and self.max is None:
            raise InvalidSchemaError(
                message="A range constraint must have a min value and/or a max value specified."
            )

    def check(
        self,
        value: Any,
        kind: Kind | None = None,
        shown_kind: str | None = None,
        checks: Checks = LOCAL_CHECKS,
    ) -> None:
        if not _within(number_from(value), self.min, self.max):
            raise ValueError(
                self.description or f"{value} is out of range (min: {self.min}, max: {self.max})"
            )

    def as_dict(self) -> dict[str, Any]:
        return _described({"range": _bounds(self.min, self.max)}, self.description)


@dataclass(frozen=True, slots=True)
class Length:
    """The length of a text, list or map lies between two bounds, both included."""

    kinds: ClassVar[frozenset[Kind]] = _SIZED
    min: int | None = None
    max: int | None = None
    description: str | None = None

    def __post_init__(self) -> None:
        if self.min is None and self.max is None:
            raise InvalidSchemaError(
                message="A length constraint must have a min value and/or a max value specified."
            )
        _must_be_numeric("min/max", self.min, self.max)
        if any(not isinstance(bound, int | None) for bound in (self.min, self.max)):
            raise InvalidSchemaError(message="min/max length must be integral")

    def check(
        self,
        value: Any,
        kind: Kind | None = None,
        shown_kind: str | None = None,
        checks: Checks = LOCAL_CHECKS,
    ) -> None:
        length = len(value)
        if not _within(length, self.min, self.max):
            raise ValueError(
                self.description
                or f"length ({length}) is out of range (min: {self.min}, max: {self.max})"
            )

    def as_dict(self) -> dict[str, Any]:
        return _described({"length": _bounds(self.min, self.max)}, self.description)


def _within(value: Any, low: float | None, high: float | None) -> bool:
    # Not a number is in every range: it is neither below nor above.
    return not ((low is not None and value < low) or (high is not None and value > high))


@dataclass(frozen=True, slots=True)
class Modulo:
    """The value leaves the remainder `offset` when divided by `step`."""

    kinds: ClassVar[frozenset[Kind]] = _NUMERIC
    step: Any = None
    offset: Any = None
    description: str | None = None

    def __post_init__(self) -> None:
        if self.step is None or self.offset is None:
            raise InvalidSchemaError(
                message="A modulo constraint must have a step value and an offset value specified."
            )
        _must_be_numeric("step/offset", self.step)
        _must_be_integral(self.step)
        _must_be_numeric("step/offset", self.offset)
        _must_be_integral(self.offset)
        if self.step == 0:
            raise InvalidSchemaError(message="step cannot be 0.")
        if abs(self.offset) >= abs(self.step):
            raise InvalidSchemaError(
                message="offset must be smaller (by absolute value) than step."
            )
        if self.step * self.offset < 0:
            raise InvalidSchemaError(
                message="step and offset must be both positive or both negative."
            )

    def check(
        self,
        value: Any,
        kind: Kind | None = None,
        shown_kind: str | None = None,
        checks: Checks = LOCAL_CHECKS,
    ) -> None:
        if number_from(value) % self.step != self.offset:
            raise ValueError(
                self.description
                or f"{value} is not a multiple of {self.step} with an offset of {self.offset}"
            )

    def as_dict(self) -> dict[str, Any]:
        form = {"modulo": {"step": self.step, "offset": self.offset}}
        return _described(form, self.description)


def _must_be_integral(value: float) -> None:
    if int(value) != value:
        raise InvalidSchemaError(message="step/offset must be integer")


@dataclass(frozen=True, slots=True)
class AllowedValues:
    """The value, or each item of a list, is one of these."""

    kinds: ClassVar[frozenset[Kind]] = _LISTED
    allowed: Sequence[Any]
    description: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.allowed, Sequence) or isinstance(self.allowed, str):
            raise InvalidSchemaError(message="AllowedValues must be a list")
        object.__setattr__(self, "allowed", tuple(self.allowed))

    def check(
        self,
        value: Any,
        kind: Kind | None = None,
        shown_kind: str | None = None,
        checks: Checks = LOCAL_CHECKS,
    ) -> None:
        if not self._accepts(value, kind, shown_kind):
            listed = ", ".join(json.dumps(item) for item in self.allowed)
            raise ValueError(
                self.description or f"{json.dumps(value)} is not an allowed value [{listed}]"
            )

    def _accepts(self, value: Any, kind: Kind | None, shown_kind: str | None) -> bool:
        if isinstance(value, list):
            return all(item in self.allowed for item in value)
        if kind is None or (kind is Kind.STRING and type(value) is str and value in self.allowed):
            return value in self.allowed
        allowed = [as_kind(item, kind, shown_kind) for item in self.allowed]
        return as_kind(value, kind, shown_kind) in allowed

    def as_dict(self) -> dict[str, Any]:
        return _described({"allowed_values": list(self.allowed)}, self.description)


@dataclass(frozen=True, slots=True)
class AllowedPattern:
    """The text matches a regular expression from its start to its end."""

    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING})
    pattern: str
    description: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, str):
            raise InvalidSchemaError(message="AllowedPattern must be a string")
        check_pattern(self.pattern)

    def check(
        self,
        value: Any,
        kind: Kind | None = None,
        shown_kind: str | None = None,
        checks: Checks = LOCAL_CHECKS,
    ) -> None:
        if not matches_whole(self.pattern, value, checks.matcher):
            raise ValueError(
                self.description or f'"{value}" does not match pattern "{self.pattern}"'
            )

    def as_dict(self) -> dict[str, Any]:
        return _described({"allowed_pattern": self.pattern}, self.description)


@dataclass(frozen=True, slots=True)
class Custom:
    """A rule with a name (facts/constraints.json): some are local, the others ask a service."""

    kinds: ClassVar[frozenset[Kind]] = _LISTED
    name: str
    description: str | None = None

    def check(
        self,
        value: Any,
        kind: Kind | None = None,
        shown_kind: str | None = None,
        checks: Checks = LOCAL_CHECKS,
    ) -> None:
        text = checks.custom(self.name, value)
        if text is not None:
            raise ValueError(self.description or text)

    def as_dict(self) -> dict[str, Any]:
        return _described({"custom_constraint": self.name}, self.description)


_SHOWN_NAMES: Mapping[type[Any], str] = {Custom: "CustomConstraint"}


def shown_name(constraint: Constraint) -> str:
    """The constraint's name in "<name> constraint invalid for <kind>"."""
    return _SHOWN_NAMES.get(type(constraint), type(constraint).__name__)


@dataclass(frozen=True, slots=True)
class ConstraintSet:
    """Constraints in the order in which they are checked."""

    items: tuple[Constraint, ...] = field(default=())

    def check(
        self,
        value: Any,
        kind: Kind | None = None,
        shown_kind: str | None = None,
        checks: Checks = LOCAL_CHECKS,
        *,
        skip_custom: bool = False,
    ) -> None:
        """Raise ValueError with the text of the first constraint that fails."""
        for constraint in self.items:
            if skip_custom and isinstance(constraint, Custom):
                continue
            constraint.check(value, kind, shown_kind, checks)
