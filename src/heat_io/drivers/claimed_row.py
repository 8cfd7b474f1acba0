"""The row that a procedure works for, as its own writes leave it."""

from __future__ import annotations

import trio

from heat_core.procedure import Datum, StoreCreated, StoreData
from heat_core.stack.ids import StackId
from heat_core.stack.records import ResourceRecord
from heat_io.database import Applied, Database, Write, resources
from heat_io.drivers.node_rows import Owed, holds_as
from heat_io.drivers.node_store import NodeWrites
from heat_io.drivers.procedure_driver import LockLost, NoRow

SEARCH_OWED = "search_owed"
"""key in resource_data: a create may have made an object, and nobody could tell yet"""
CUT_OFF_SECONDS = 60.0


class ClaimedRow:
    """The row that we hold, as our own writes leave it (a RowStore).

    With `holds_back` the id of what was made is stored with the outcome: when all of it is in this
    process, who takes up the row after a crash loses nothing and makes it anew.
    """

    def __init__(
        self,
        database: Database,
        writes: NodeWrites,
        stack_id: StackId,
        row: ResourceRecord,
        *,
        holds_back: bool = False,
    ) -> None:
        self._database = database
        self._holds_back = holds_back
        self._writes = writes
        self._stack_id = stack_id
        self.row = row
        self.stray: str | None = None
        """an object that was made, but whose id could not be stored any more"""
        self.owed: Owed | None = None
        """what `row` has, and the database not yet"""

    async def created(self, request: StoreCreated) -> None:
        await self.settle()
        if self._holds_back:
            self.owed = Owed(self.row, request)
            self.row = self.owed.row
            return
        try:
            await self._submit(self._writes.created(self.row, request))
        except LockLost:
            self.stray = request.physical_id
            raise

    async def store(self, request: StoreData) -> None:
        await self.settle()
        await self._submit(self._writes.data(self.row, request))

    async def settle(self) -> None:
        """Store what was held back; LockLost."""
        await trio.lowlevel.checkpoint()
        owed, self.owed = self.owed, None
        if owed is not None:
            await self._submit(self._writes.created(owed.before, owed.request))

    async def check_held(self) -> None:
        """Raise LockLost when the row is not as we left it."""
        current = await self._database.read(
            lambda connection: resources.fetch(connection, self.row.id)
        )
        if current is None or not holds_as(current, self.row):
            raise LockLost(f"row {self.row.id}")

    async def owe_search(self) -> None:
        """Note that nobody could tell what a create has made; whoever cancels."""
        with trio.CancelScope(shield=True, deadline=trio.current_time() + CUT_OFF_SECONDS):
            await self.store(StoreData((Datum(SEARCH_OWED, "True"),)))

    async def _submit(self, write: Write[ResourceRecord]) -> None:
        written = await submit_row_write(self._database, self._stack_id, write, self.row)
        row = None if written is None else written.value
        if row is None:
            raise LockLost(f"row {self.row.id}")
        self.row = row


async def submit_row_write(
    database: Database, stack_id: StackId, write: Write[ResourceRecord], row: ResourceRecord
) -> Applied[ResourceRecord] | None:
    """Carry out a write of `row`; None when somebody else changed the row first.

    A commit that got lost makes a write fail although the row is as it expected: it is repeated.
    """
    while True:
        verdict = await database.submit(stack_id, write)
        if isinstance(verdict, Applied):
            return verdict
        current = await database.read(lambda connection: resources.fetch(connection, row.id))
        if current is None or not holds_as(current, row):
            return None


class Discard(NoRow):
    """A store where nothing is kept: of an object that has no row, or after the action's end."""

    async def created(self, request: StoreCreated) -> None:
        raise AssertionError("removing an object has made one")

    async def store(self, request: StoreData) -> None:
        await trio.lowlevel.checkpoint()
