"""Property schemas: what a type says about each of its properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from heat_core.errors import InvalidSchemaError, StackValidationFailed
from heat_core.properties.constraints import (
    LOCAL_CHECKS,
    Checks,
    Constraint,
    ConstraintSet,
    shown_name,
)
from heat_core.properties.kinds import Kind
from heat_core.properties.support import Support

SUPPORTED = Support()
NO_CONSTRAINTS = ConstraintSet()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prop:
    """The schema of one property; make them with `Prop.string(...)` and its siblings.

    `schema` is the schema of a list's items (one Prop) or of a map's keys (a mapping). A null
    default is no default. `allow_conversion` lets text and lists through where a nested template's
    parameter takes more than a property of that kind would.

    Raises InvalidSchemaError, or StackValidationFailed for a default that breaks a constraint
    (facts: properties.jsonl, properties/schema/*).
    """

    kind: Kind
    description: str | None = None
    default: Any = None
    required: bool = False
    update_allowed: bool = False
    immutable: bool = False
    implemented: bool = True
    constraints: ConstraintSet = NO_CONSTRAINTS
    schema: Mapping[Any, Prop] | Prop | None = None
    support: Support = SUPPORTED
    allow_conversion: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.schema, Prop) and self.kind is not Kind.LIST:
            raise InvalidSchemaError(
                message=f"Single schema valid only for List, not {self.kind.value}"
            )
        if self.schema is not None and self.kind not in (Kind.LIST, Kind.MAP):
            raise InvalidSchemaError(
                message=f"Schema valid only for List or Map, not {self.kind.value}"
            )
        for constraint in self.constraints.items:
            if self.kind not in constraint.kinds:
                raise InvalidSchemaError(
                    message=f"{shown_name(constraint)} constraint invalid for {self.kind.value}"
                )
        if self.default is not None:
            self.check_constraints(self.default, skip_custom=True)
        if self.update_allowed and self.immutable:
            raise InvalidSchemaError(
                message="Options UpdateAllowed and Immutable cannot both be True"
            )

    @property
    def has_default(self) -> bool:
        return self.default is not None

    def check_constraints(
        self, value: Any, checks: Checks = LOCAL_CHECKS, *, skip_custom: bool = False
    ) -> None:
        """Raise StackValidationFailed, without a path, for the first constraint that fails."""
        try:
            self.constraints.check(
                value, self.kind, self.kind.value, checks, skip_custom=skip_custom
            )
        except ValueError as error:
            raise StackValidationFailed(message=str(error)) from error

    def items(self) -> Mapping[Any, Prop] | None:
        """The schemas of the children by key; "*" stands for every index of a list."""
        return {"*": self.schema} if isinstance(self.schema, Prop) else self.schema

    def as_dict(self) -> dict[str, Any]:
        """The form of resource_type_show: facts/resource-type-show."""
        form: dict[str, Any] = {"type": self.kind.value.lower()}
        if self.description is not None:
            form["description"] = self.description
        if self.default is not None:
            form["default"] = self.default
        children = self.items()
        if children is not None:
            form["schema"] = {key: child.as_dict() for key, child in children.items()}
        form["required"] = self.required
        if self.constraints.items:
            form["constraints"] = [item.as_dict() for item in self.constraints.items]
        form["update_allowed"] = self.update_allowed
        form["immutable"] = self.immutable
        return form

    @classmethod
    def of(cls, kind: Kind, *, constraints: Iterable[Constraint] = (), **rest: Any) -> Prop:
        """A property of a kind that is known only at run time."""
        return cls(kind=kind, constraints=ConstraintSet(tuple(constraints)), **rest)

    @classmethod
    def string(
        cls, description: str | None = None, *, constraints: Iterable[Constraint] = (), **rest: Any
    ) -> Prop:
        """Text; numbers and booleans are turned into text."""
        return cls.of(Kind.STRING, description=description, constraints=constraints, **rest)

    @classmethod
    def integer(
        cls, description: str | None = None, *, constraints: Iterable[Constraint] = (), **rest: Any
    ) -> Prop:
        """A whole number, or text of one."""
        return cls.of(Kind.INTEGER, description=description, constraints=constraints, **rest)

    @classmethod
    def number(
        cls, description: str | None = None, *, constraints: Iterable[Constraint] = (), **rest: Any
    ) -> Prop:
        """Any number, or text of one."""
        return cls.of(Kind.NUMBER, description=description, constraints=constraints, **rest)

    @classmethod
    def boolean(
        cls, description: str | None = None, *, constraints: Iterable[Constraint] = (), **rest: Any
    ) -> Prop:
        """True or false, or their text in any case."""
        return cls.of(Kind.BOOLEAN, description=description, constraints=constraints, **rest)

    @classmethod
    def map(
        cls, description: str | None = None, *, constraints: Iterable[Constraint] = (), **rest: Any
    ) -> Prop:
        """A map; with `schema`, one of known keys."""
        return cls.of(Kind.MAP, description=description, constraints=constraints, **rest)

    @classmethod
    def list(
        cls, description: str | None = None, *, constraints: Iterable[Constraint] = (), **rest: Any
    ) -> Prop:
        """A list; with `schema`, one of items of that schema."""
        return cls.of(Kind.LIST, description=description, constraints=constraints, **rest)

    @classmethod
    def any(
        cls, description: str | None = None, *, constraints: Iterable[Constraint] = (), **rest: Any
    ) -> Prop:
        """Whatever the user gives, untouched."""
        return cls.of(Kind.ANY, description=description, constraints=constraints, **rest)
