"""JSON columns, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import text

from heat_io.database.schema import raw_template


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (None, "null"),
        ({}, "{}"),
        ({"b": 1, "a": "é", "n": None, "l": [1, 2.5, True]}, None),
    ],
)
async def test_values_are_stored_as_json_dumps_writes_them(
    database, value: object, stored: str | None
) -> None:
    def work(connection):
        connection.execute(raw_template.insert(), {"template": value})
        raw = connection.execute(text("SELECT template FROM raw_template")).scalar()
        return raw, connection.execute(raw_template.select()).one().template

    raw, found = await database.transaction(work)
    assert raw == (stored or json.dumps(value))
    assert found == value


async def test_null_reads_as_nothing(database) -> None:
    def work(connection):
        connection.execute(text("INSERT INTO raw_template (id) VALUES (1)"))
        return connection.execute(raw_template.select()).one().template

    assert await database.transaction(work) is None


async def test_null_in_an_update_is_the_text(database) -> None:
    def work(connection):
        connection.execute(raw_template.insert(), {"template": {"a": 1}})
        connection.execute(raw_template.update().values(template=None))
        return connection.execute(text("SELECT template FROM raw_template")).scalar()

    assert await database.transaction(work) == "null"


def test_heats_recorded_texts_are_ours(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "schema.json").read_text())["encodings"]
    for recorded in facts["json_column_dict"]:
        assert json.dumps(json.loads(recorded)) == recorded
