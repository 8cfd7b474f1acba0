"""What the writes of a visit have in common."""

from __future__ import annotations

from dataclasses import replace

import pytest
from site_of_tests import MINE, Site
from sqlalchemy import Connection

from heat_core.procedure import Datum, StoreCreated
from heat_core.stack.records import ResourceRecord
from heat_core.stack.states import Status
from heat_io.database import resource_data
from heat_io.drivers.node_rows import Owed, as_written, holds_as, with_data


@pytest.fixture
def row(site: Site) -> ResourceRecord:
    return site.row(site.stack(), engine_id=MINE, physical_id=None, atomic_key=3)


def test_a_lock_is_the_engine_and_the_key(row: ResourceRecord) -> None:
    assert holds_as(row, replace(row, status=Status.FAILED))
    assert not holds_as(row, replace(row, engine_id=None))
    assert not holds_as(row, replace(row, atomic_key=4))


def test_a_write_bumps_the_key(row: ResourceRecord) -> None:
    assert as_written(row, {"status": Status.FAILED}) == replace(
        row, status=Status.FAILED, atomic_key=4
    )
    assert as_written(replace(row, atomic_key=None), {}).atomic_key == 1


def test_data_is_added_replaced_and_taken_out(row: ResourceRecord) -> None:
    before = replace(row, data={"a": "1", "b": "2", "c": "3"})
    assert with_data(before, {"a": None, "b": "new", "d": "4"}).data == {
        "b": "new",
        "c": "3",
        "d": "4",
    }


def test_what_is_owed_may_be_stored_more_than_once(site: Site, row: ResourceRecord) -> None:
    owed = Owed(row, StoreCreated("x", (Datum("value", "v"), Datum("old", None))))
    assert (owed.row.physical_id, owed.row.data) == ("x", {"value": "v"})
    store = owed.storing()
    site.write(store)
    # The first commit may have got lost, or only its answer.
    site.write(store)

    def rows(connection: Connection) -> dict[str, str]:
        found: dict[str, str] = resource_data.fetch(connection, row.id)
        return found

    assert site.read(rows) == {"value": "v"}
