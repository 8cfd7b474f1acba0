"""Fields to columns."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine
from sqlalchemy.dialects import mysql

from heat_core.stack.states import Action
from heat_io.database.schema import stack
from heat_io.database.values import UnknownField, columns_of, fitting_reason, plain, same


class OnMySql:
    """As much of a connection as is looked at."""

    dialect = mysql.dialect()


def test_nothing_compares_with_is_null() -> None:
    assert str(same(stack.c.name, None)) == "stack.name IS NULL"
    assert same(stack.c.action, Action.CREATE).right.value == "CREATE"
    assert type(plain(Action.CREATE)) is str


def test_fields_become_columns() -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        fields = {"physical_id": "nova_instance"}
        assert columns_of(connection, fields, {"physical_id": Action.CREATE}) == {
            "nova_instance": "CREATE"
        }
        with pytest.raises(UnknownField):
            columns_of(connection, fields, {"nova_instance": 1})
        assert fitting_reason(connection, "x" * 70_000) == "x" * 70_000
    engine.dispose()


@pytest.mark.parametrize(
    ("reason", "fitting"),
    [
        (None, None),
        ("short", "short"),
        ("x" * 65_535, "x" * 65_535),
        ("x" * 65_536, "x" * 65_535),
        ("x" + "é" * 40_000, "x" + "é" * 32_767),
        ("😀" * 20_000, "😀" * 16_383),
    ],
)
def test_reasons_are_cut_between_characters(reason: str | None, fitting: str | None) -> None:
    assert fitting_reason(OnMySql(), reason) == fitting
