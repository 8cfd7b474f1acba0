"""The row that a procedure works for."""

from __future__ import annotations

import pytest
from site_of_tests import MINE, NOW, OTHER, Site

from heat_core.procedure import Datum, StoreCreated, StoreData
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Database, resources
from heat_io.drivers.claimed_row import SEARCH_OWED, ClaimedRow
from heat_io.drivers.node_store import NodeWrites
from heat_io.drivers.procedure_driver import LockLost

MADE = StoreCreated("x", (Datum("value", "v"),))


@pytest.fixture
def stack(site: Site) -> StackRecord:
    return site.stack()


@pytest.fixture
def row(site: Site, stack: StackRecord) -> ResourceRecord:
    held = {"engine_id": MINE, "action": Action.CREATE, "status": Status.IN_PROGRESS}
    return site.row(stack, physical_id=None, **held)


def claimed(
    database: Database, site: Site, stack: StackRecord, row: ResourceRecord, *, holds_back: bool
) -> ClaimedRow:
    writes = NodeWrites(MINE, lambda: NOW, site.uuid, lambda connection, engine_id: True)
    return ClaimedRow(database, writes, stack.id, row, holds_back=holds_back)


async def test_an_id_is_stored_at_once(
    database: Database, site: Site, stack: StackRecord, row: ResourceRecord
) -> None:
    ours = claimed(database, site, stack, row, holds_back=False)
    await ours.created(MADE)
    assert site.stored(row) == ours.row
    assert (ours.row.physical_id, ours.row.data, ours.owed) == ("x", {"value": "v"}, None)


async def test_an_id_that_is_held_back_is_stored_before_anything_else(
    database: Database, site: Site, stack: StackRecord, row: ResourceRecord
) -> None:
    ours = claimed(database, site, stack, row, holds_back=True)
    await ours.created(MADE)
    assert site.stored(row) == row
    assert ours.owed is not None
    assert ours.row == ours.owed.row
    await ours.store(StoreData((Datum("more", "w"),)))
    assert ours.owed is None
    assert site.stored(row) == ours.row
    assert (ours.row.physical_id, ours.row.data) == ("x", {"value": "v", "more": "w"})
    await ours.settle()
    assert site.stored(row) == ours.row


async def test_a_row_is_held_until_another_engine_has_it(
    database: Database, site: Site, stack: StackRecord, row: ResourceRecord
) -> None:
    ours = claimed(database, site, stack, row, holds_back=True)
    await ours.created(MADE)
    await ours.check_held()
    site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    with pytest.raises(LockLost):
        await ours.check_held()
    with pytest.raises(LockLost):
        await ours.settle()
    assert ours.stray is None


async def test_an_object_whose_id_cannot_be_stored_is_a_stray(
    database: Database, site: Site, stack: StackRecord, row: ResourceRecord
) -> None:
    ours = claimed(database, site, stack, row, holds_back=False)
    site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    with pytest.raises(LockLost):
        await ours.created(MADE)
    assert ours.stray == "x"


async def test_a_search_that_is_owed_is_noted(
    database: Database, site: Site, stack: StackRecord, row: ResourceRecord
) -> None:
    ours = claimed(database, site, stack, row, holds_back=False)
    await ours.owe_search()
    stored = site.stored(row)
    assert stored is not None
    assert stored.data == {SEARCH_OWED: "True"}
