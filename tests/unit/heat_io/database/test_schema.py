"""The tables that queries use are the tables that the migrations make."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import Engine, inspect

from heat_io.database.column_types import Json
from heat_io.database.schema import metadata


def test_columns_equal_the_migrated_ones(memory: Engine) -> None:
    found = inspect(memory)
    assert set(metadata.tables) == set(found.get_table_names()) - {"alembic_version"}
    for table in metadata.tables.values():
        columns = {column["name"]: column for column in found.get_columns(table.name)}
        assert set(columns) == set(table.c.keys()), table.name
        for column in table.c:
            made = columns[column.name]
            assert made["nullable"] == column.nullable, column
            declared = column.type.impl if isinstance(column.type, Json) else column.type
            assert str(made["type"]) == declared.compile(memory.dialect), column


def test_columns_equal_heats(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "schema.json").read_text())["tables"]
    assert set(metadata.tables) == set(facts)
    for name, table in metadata.tables.items():
        described = facts[name]["columns"]
        assert set(table.c.keys()) == set(described)
        for column in table.c:
            fact = described[column.name]
            assert isinstance(column.type, Json) == (fact["orm_type"] in ("Json", "List"))
            assert column.primary_key == fact.get("pk", False)
            keys = [key.split()[0] for key in fact.get("fk", [])]
            assert [key.target_fullname for key in column.foreign_keys] == keys
