"""Turning record fields into column values, and conditions that hold for NULL too."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection

INSERT_BATCH: Final = 1000
"""Rows a statement: encoding them takes about 30 ms, which is as long as the loop may be held."""
_MYSQL_TEXT_BYTES: Final = 65535


class UnknownField(KeyError):
    """A value was given for something that the table does not hold."""


def same(column: Column[Any] | ColumnElement[Any], value: Any) -> ColumnElement[bool]:
    """`column` equals `value`; IS NULL when value is None."""
    return column.is_(None) if value is None else column == plain(value)


def plain(value: Any) -> Any:
    """`value` without its enum; drivers choose the encoding by exact type."""
    return value.value if isinstance(value, enum.Enum) else value


def columns_of(
    connection: Connection, fields: Mapping[str, str], values: Mapping[str, Any]
) -> dict[str, Any]:
    """`values`, keyed by record fields, as {column: value}; raises UnknownField.

    A status reason is cut to what MariaDB's TEXT holds (rules/g-events-status.md#19).
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        column = fields.get(name)
        if column is None:
            raise UnknownField(name)
        if column == "status_reason":
            value = fitting_reason(connection, value)
        found[column] = plain(value)
    return found


def fitting_reason(connection: Connection, reason: str | None) -> str | None:
    """`reason` cut to 65535 UTF-8 bytes on MariaDB, whole elsewhere."""
    if connection.dialect.name != "mysql" or not reason or len(reason) * 4 <= _MYSQL_TEXT_BYTES:
        return reason
    encoded = reason.encode()
    if len(encoded) <= _MYSQL_TEXT_BYTES:
        return reason
    return encoded[:_MYSQL_TEXT_BYTES].decode(errors="ignore")
