"""Column types that store what Heat stores.

JSON columns hold the text of `json.dumps` with its default separators, and the four characters
`null` where there is nothing; SQL NULL is read as well (rules/j-encodings.md#1).
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeDecorator, TypeEngine


def long_text() -> TypeEngine[str]:
    """TEXT, and LONGTEXT on MariaDB, where TEXT ends at 65535 bytes."""
    return Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")


class Json(TypeDecorator[Any]):
    """Any JSON value as text. None is written as `null`, never as SQL NULL."""

    impl = Text
    cache_ok = True
    coerce_to_is_types = ()

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """LONGTEXT on MariaDB, TEXT elsewhere."""
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(mysql.LONGTEXT())
        return dialect.type_descriptor(Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """The JSON text; keys stay in insertion order."""
        return json.dumps(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any:
        """The decoded value; None for SQL NULL and for `null`."""
        return None if value is None else json.loads(value)
