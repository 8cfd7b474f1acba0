"""One parameter: a schema with what the user gave, and the values made of them."""

from __future__ import annotations

import json
from typing import Any, Final

from heat_core.documents import json_error_text
from heat_core.errors import InvalidSchemaError, StackValidationFailed, UserParameterMissing
from heat_core.parameters.booleans import parse_boolean
from heat_core.parameters.schema import ParameterSchema
from heat_core.properties.constraints import LOCAL_CHECKS, Checks
from heat_core.properties.kinds import Kind, number_from

HIDDEN_TEXT: Final = "******"
_UNKNOWN: Final = object()


class Parameter:
    """A template's parameter with the value given by the user, if any.

    `default` is the environment's, laid over the schema's. A null user value counts as absent
    (rules/c-parameters.md#17).
    """

    __slots__ = ("_value", "name", "schema", "user_default", "user_value")

    def __init__(
        self,
        name: str,
        schema: ParameterSchema,
        user_value: Any = None,
        user_default: Any = None,
    ) -> None:
        self.name = name
        self.schema = schema
        self.user_value = user_value
        self.user_default = user_default
        self._value: Any = _UNKNOWN

    @property
    def hidden(self) -> Any:
        """Whether its value must not be shown."""
        return self.schema.hidden

    @property
    def label(self) -> Any:
        """The label, else the name."""
        return self.schema.label or self.name

    @property
    def description(self) -> Any:
        """The description, "" without one."""
        return self.schema.description or ""

    @property
    def default(self) -> Any:
        """The environment's default, else the template's, else None."""
        return self.schema.default if self.user_default is None else self.user_default

    @property
    def has_value(self) -> bool:
        """Whether there is a user's value or a default."""
        return self.user_value is not None or self.default is not None

    def raw_value(self) -> Any:
        """The value as given. Raises UserParameterMissing."""
        if self.user_value is not None:
            return self.user_value
        if self.default is not None:
            return self.default
        raise UserParameterMissing(key=self.name)

    def value(self) -> Any:
        """The value that functions see, worked out once (rules/c-parameters.md#12-16).

        Raises UserParameterMissing, or ValueError when what was given cannot be converted.
        """
        if self._value is _UNKNOWN:
            if self.schema.kind is Kind.BOOLEAN and not self.has_value:
                parse_boolean("None")
            self._value = self._convert(self.raw_value())
        return self._value

    def _convert(self, raw: Any) -> Any:
        match self.schema.kind:
            case Kind.NUMBER:
                return number_from(raw)
            case Kind.BOOLEAN:
                return parse_boolean(str(raw))
            case Kind.STRING:
                return str(raw)
            case Kind.LIST:
                return parse_list(raw)
            case Kind.MAP:
                return parse_json(raw)

    def validate(self, check_value: bool = True, checks: Checks = LOCAL_CHECKS) -> None:
        """Check schema and, if asked, value.

        Raises InvalidSchemaError, StackValidationFailed or UserParameterMissing
        (rules/c-parameters.md#9-11).
        """
        prefix = f"Parameter '{self.name}' is invalid: "
        try:
            self.schema.validate()
            if check_value:
                self._check_value(self.raw_value(), checks)
        except StackValidationFailed as error:
            raise StackValidationFailed(message=f"{prefix}{error}") from None
        except InvalidSchemaError as error:
            raise InvalidSchemaError(message=f"{prefix}{error}") from None

    def _check_value(self, raw: Any, checks: Checks) -> None:
        try:
            match self.schema.kind:
                case Kind.NUMBER:
                    number_from(raw)
                case Kind.BOOLEAN:
                    parse_boolean(raw)
                case Kind.LIST:
                    raw = parse_list(raw)
                case Kind.MAP:
                    raw = parse_json(raw)
                case Kind.STRING:
                    pass
        except TypeError as error:
            if self.schema.kind is not Kind.NUMBER:
                raise
            raise StackValidationFailed(message=str(error)) from None
        except ValueError as error:
            raise StackValidationFailed(message=str(error)) from None
        self.schema.check_value(raw, checks)

    def shown(self) -> str:
        """The value as text for stack show, hidden ones masked (rules/c-parameters.md#24)."""
        value = self.value()
        if self.hidden:
            return HIDDEN_TEXT
        match self.schema.kind:
            case Kind.LIST:
                return ",".join(value)
            case Kind.MAP:
                return json.dumps(value)
            case _:
                return str(value)


def parse_list(value: Any) -> list[str]:
    """A list of texts from a list or from comma-delimited text, nothing trimmed."""
    if isinstance(value, list):
        return [str(member) for member in value]
    if isinstance(value, str):
        return value.split(",") if value else []
    kind = type(value).__name__
    raise ValueError(
        f"Value must be a comma-delimited list string: '{kind}' object has no attribute 'split'"
    )


def parse_json(value: Any) -> Any:
    """Data from JSON text, or data that JSON can say; "" stays "" (rules/c-parameters.md#16)."""
    try:
        text = value if isinstance(value, str) else json.dumps(value)
        return json.loads(text) if text else value
    except (ValueError, TypeError) as error:
        raise ValueError(f"Value must be valid JSON: {json_error_text(error)}") from None
