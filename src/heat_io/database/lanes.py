"""Write lanes: writes that are ready at the same time share a transaction.

Theory of operation. Every stack has its lane (CRC-32 of its key, so that it is the same in every
run); a lane has one task, which takes all that waits, orders it (rows by primary key, sync points
last: the same order in every engine makes few deadlocks), runs it in one transaction and hands
each item its own verdict. Nothing waits for company: the batch is what came in while the last one
was under way. Items that say how they share a statement share it, and what they only add is added
at the end; when the condition of one of those does not hold, the batch is run anew item by item.

    applied         the item's condition held, and the transaction is durable
    lost            the condition did not hold, and the item changed nothing
    indeterminate   COMMIT got lost and re-reading could not tell
    an exception    the item's own; it was retried alone, the others went on without it

A conflict or a lost connection is retried within bounds. After a lost COMMIT, each item re-reads
(`Write.confirm`), waiting for the locks of the transaction in doubt. A submitter that goes away
does not take its item back: what is in a lane is carried out.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import trio
from sqlalchemy import Connection

from heat_io.database.appends import gathering
from heat_io.database.executor import Executor
from heat_io.database.failures import CommitUnknown, ConnectionLost, DatabaseFailure
from heat_io.database.retry import Retrier
from heat_io.database.verdicts import Applied, Indeterminate, Lost, Verdict, Write

_BATCH_LIMIT = 500
_FEW = 2


class LanesClosed(Exception):
    """The lane's task has ended; the write was not carried out."""


@dataclass(slots=True, eq=False)
class _Item:
    """A write that waits, and later its verdict."""

    write: Write[Any]
    done: trio.Event = field(default_factory=trio.Event)
    verdict: Verdict[Any] | None = None
    error: BaseException | None = None

    def settle(self, verdict: Verdict[Any]) -> None:
        self.verdict = verdict
        self.done.set()

    def fail(self, error: BaseException) -> None:
        self.error = error
        self.done.set()


class Lanes:
    """Runs writes in `count` lanes; `run` is their task, to be started in a nursery."""

    def __init__(self, executor: Executor, retrier: Retrier, *, count: int = 1) -> None:
        self._executor = executor
        self._retrier = retrier
        self._few_times = replace(retrier, policy=replace(retrier.policy, conflict_attempts=_FEW))
        self._pending = 0
        self._drained = trio.Event()
        self._queues: tuple[list[_Item], ...] = tuple([] for _ in range(count))
        self._ready = [trio.Event() for _ in range(count)]
        self._closed = False
        self.batches = 0
        self.items = 0

    def lane_of(self, lane_key: str) -> int:
        """The number of the lane that `lane_key` (a stack id) belongs to."""
        return zlib.crc32(lane_key.encode()) % len(self._queues)

    async def submit[T](self, lane_key: str, write: Write[T]) -> Verdict[T]:
        """Carry out `write` and say what became of it.

        The write is carried out even when the caller is cancelled while it waits: a caller that
        needs the verdict shields itself, with a deadline. Raises what `write.apply` raised, a
        DatabaseFailure when the retries are used up, LanesClosed when the lanes have stopped.
        """
        if self._closed:
            raise LanesClosed("The write lanes have stopped.")
        lane = self.lane_of(lane_key)
        item = _Item(write)
        self._pending += 1
        self._queues[lane].append(item)
        self._ready[lane].set()
        await item.done.wait()
        if item.error is not None:
            raise item.error
        assert item.verdict is not None
        return item.verdict

    async def drain(self) -> None:
        """Wait until nothing is queued or under way."""
        while self._pending:
            self._drained = trio.Event()
            await self._drained.wait()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve the lanes until cancelled. What is under way is finished, the rest is refused."""
        try:
            async with trio.open_nursery() as nursery:
                for lane in range(len(self._queues)):
                    nursery.start_soon(self._serve, lane)
                task_status.started()
        finally:
            self._closed = True
            for queue in self._queues:
                for item in queue:
                    item.fail(LanesClosed("The write lanes have stopped."))
                queue.clear()

    async def _serve(self, lane: int) -> None:
        queue = self._queues[lane]
        while True:
            await self._ready[lane].wait()
            self._ready[lane] = trio.Event()
            while queue:
                batch = sorted(queue[:_BATCH_LIMIT], key=lambda item: _order(item.write.order))
                del queue[:_BATCH_LIMIT]
                try:
                    await self._carry_out(batch)
                except BaseException as error:
                    # Cancelled, or killed by the simulator: nobody will come back to these.
                    for item in batch:
                        if not item.done.is_set():
                            item.fail(LanesClosed(f"The write lane was stopped by {error!r}."))
                    raise
                finally:
                    self._pending -= len(batch)
                    if not self._pending:
                        self._drained.set()

    async def _carry_out(self, batch: Sequence[_Item]) -> None:
        """Give every item of `batch` its verdict or its error."""
        self.batches += 1
        self.items += len(batch)
        try:
            verdicts = await self._transact(batch, alone=len(batch) == 1)
        except CommitUnknown as doubt:
            for item in batch:
                item.settle(await self._confirm(item, doubt))
        except ConnectionLost as failure:
            # Alone they would fare no better.
            for item in batch:
                item.fail(failure)
        except Exception as error:
            if len(batch) == 1:
                batch[0].fail(error)
                return
            for item in batch:
                await self._carry_out([item])
        else:
            for item, verdict in zip(batch, verdicts, strict=True):
                item.settle(verdict)

    async def _transact(self, batch: Sequence[_Item], *, alone: bool) -> list[Applied[Any] | Lost]:
        writes = [item.write for item in batch]
        # A conflict of many is tried once more together; then one bad neighbour must not hold up
        # the rest, and each goes its own way.
        retrier = self._retrier if alone else self._few_times
        groups = _groups(writes)
        if groups:
            with suppress(_ConditionFailed):
                return await retrier.run(
                    lambda: self._executor.run(partial(_apply, writes, groups), begin=True)
                )
        return await retrier.run(
            lambda: self._executor.run(partial(_apply, writes, {}), begin=True)
        )

    async def _confirm(self, item: _Item, doubt: CommitUnknown) -> Verdict[Any]:
        try:
            # A conflict here is a lock that the doubtful transaction keeps for the whole lock wait
            # timeout: few attempts, since the lane stands still meanwhile.
            return await self._few_times.run(
                lambda: self._executor.run(item.write.confirm, begin=False, settle=True)
            )
        except DatabaseFailure as failure:
            return Indeterminate(f"{doubt}; then {failure}")


class _ConditionFailed(Exception):
    """One of those that shared a statement has lost."""


type _Groups = Mapping[int, Sequence[Write[Any]]]
"""by the index of the group's first write"""


def _groups(writes: Sequence[Write[Any]]) -> _Groups:
    """Which writes share a statement: at least two.

    One that has a neighbour of the same order does not: it must not overtake it.
    """
    places = Counter(write.order for write in writes)
    found: dict[Any, dict[Any, int]] = {}
    for index, write in enumerate(writes):
        if write.share is not None and places[write.order] == 1:
            found.setdefault(write.share.run, {}).setdefault(write.share.key, index)
    return {
        next(iter(members.values())): [writes[index] for index in members.values()]
        for members in found.values()
        if len(members) > 1
    }


def _apply(
    writes: Sequence[Write[Any]], groups: _Groups, connection: Connection
) -> list[Applied[Any] | Lost]:
    """The unit of a batch. A group is carried out where its first member stands."""
    shared: set[int] = set()
    verdicts: list[Applied[Any] | Lost] = []
    with gathering(connection):
        for index, write in enumerate(writes):
            if index in groups:
                shares = [member.share for member in groups[index] if member.share is not None]
                if not shares[0].run(connection, [share.part for share in shares]):
                    raise _ConditionFailed
                shared.update(map(id, groups[index]))
            if write.share is not None and id(write) in shared:
                verdicts.append(write.share.then(connection))
            else:
                verdicts.append(write.apply(connection))
    return verdicts


def _order(key: tuple[Any, ...]) -> tuple[tuple[int, Any], ...]:
    """`key` made comparable: numbers before texts, None first."""
    return tuple(
        (0, 0) if part is None else (1, part) if isinstance(part, int | float) else (2, str(part))
        for part in key
    )
