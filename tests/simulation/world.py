"""A whole deployment in one thread: the production drivers over a fake database, bus and cloud.

Time is virtual, scheduling is seeded, and every fault comes from the seed, so a seed that breaks
something breaks it again.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import trio

from heat_core.rpc import unseal
from heat_core.stack.ids import EngineId
from heat_io.database import Ambient, Cipher
from heat_io.drivers.check_messages import CHECK_RESOURCE
from heat_io.messaging import InProcessBus
from heat_io.messaging.in_process import Deliver, Posted
from tests.simulation.cloud import FakeCloud
from tests.simulation.faults import NO_FAULTS, Counts, Fate, Faults
from tests.simulation.invariants import Invariants, Violated
from tests.simulation.ledger import Change
from tests.simulation.storage import Storage

UNITS_LIMIT = 20_000
"""more than twice what the longest run needs (many updates three stacks down), reads included"""

EPOCH = datetime(2026, 1, 1)
CIPHER = Cipher("a" * 32)


class World:
    """Database, broker and cloud; engines come and go."""

    def __init__(
        self, seed: int, faults: Faults, *, takes_over: bool = True, can_find: bool = True
    ) -> None:
        self.random = random.Random(seed)
        self.counts = Counts()
        self.fate = Fate(self.random, faults, self.counts)
        self.takes_over = takes_over
        self.can_find = can_find
        """whether projects are of a type that can tell what a cut create has made"""
        self._stamps = itertools.count()
        self.storage = Storage(Ambient(now=self._stamp, random=self.random.random, cipher=CIPHER))
        self.ledger = self.storage.ledger
        self.cloud = FakeCloud(
            new_id=lambda: f"{self.random.getrandbits(128):032x}",
            latency=lambda: self.random.random() * 0.2,
            fault=self.fate.of_request,
        )
        self.bus = InProcessBus(
            router=self._route, new_id=lambda: f"{self.random.getrandbits(128):032x}"
        )
        self.living: dict[EngineId, Any] = {}
        self.alone = True
        """no two engines are ever alive at a time"""
        self.invariants = Invariants(self)
        self.violation: Violated | None = None
        self.violated = trio.Event()
        self._router_scope: trio.Nursery | None = None
        self._cast: set[tuple[str, int, bool]] = set()

    # --- checks ----------------------------------------------------------------------------

    def committed(self, actor: EngineId | None, changes: list[Change]) -> None:
        """Check a transaction; the first violation ends the run, whoever catches it below."""
        self.counts.transactions += 1
        if self.violation is not None:
            return
        try:
            self.invariants.check(actor, changes)
        except Violated as violation:
            self.give_up(violation)

    def give_up(self, violation: Violated) -> None:
        if self.violation is None:
            self.violation = violation
            self.violated.set()

    def count_unit(self) -> None:
        self.counts.units += 1
        if self.counts.units > UNITS_LIMIT:
            self.give_up(Violated(f"more than {UNITS_LIMIT} units of work: it goes in circles"))

    async def _stop_when_violated(self) -> None:
        await self.violated.wait()
        assert self.violation is not None
        raise self.violation

    # --- what engines get from outside -------------------------------------------------------

    def now(self) -> datetime:
        return EPOCH + timedelta(seconds=trio.current_time())

    def _stamp(self) -> datetime:
        """The time for a stored row: no two are the same, though virtual time stands still.

        SQLite gives the ids of removed templates to new ones; that they differ is known by this.
        """
        return self.now() + timedelta(microseconds=next(self._stamps))

    def uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def _route(self, message: Posted, deliver: Deliver) -> None:
        """A broker in trouble: late, twice, or never.

        A lost cast is found by the sweeper; who waits for a call, or for its answer, gives up. That
        workers are told to stop is only a help, but without it a delete waits for them.
        """
        fate = self.fate
        may_be_lost = message.method == CHECK_RESOURCE or message.is_call or message.target is None
        if may_be_lost and fate.chance("lost_message"):
            return
        if message.method == CHECK_RESOURCE and fate.faults == NO_FAULTS:
            self._cast_once(message)
        copies = 1
        if message.target is not None and not message.is_call and fate.chance("duplicate"):
            copies = 2
        for copy in range(copies):
            sent = message if copy == 0 else _again(message, f"{self.random.getrandbits(128):032x}")
            if self._router_scope is not None and fate.chance("late"):
                self._router_scope.start_soon(self._later, sent, deliver)
            else:
                deliver(sent)

    def _cast_once(self, message: Posted) -> None:
        """Where nothing goes wrong a node is asked for by one completer, unless it was woken."""
        asked = unseal(message.body)["args"]
        row_id, is_update = asked["resource_id"], asked["is_update"]
        key = (asked["current_traversal"], row_id, is_update)
        if key in self._cast and not self.invariants.was_woken(*key):
            self.give_up(Violated(f"5: {key[1:]} is asked for twice, and nobody woke it"))
        self._cast.add(key)

    async def _later(self, message: Posted, deliver: Deliver) -> None:
        very_late = self.fate.faults.may_lose and self.random.random() < 0.1
        await trio.sleep(self.random.random() * (40 if very_late else 3))
        deliver(message)

    # --- engines ---------------------------------------------------------------------------

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        try:
            async with trio.open_nursery() as nursery:
                self._router_scope = nursery
                nursery.start_soon(self._stop_when_violated)
                yield
                nursery.cancel_scope.cancel()
        finally:
            self.storage.close()

    def is_trusted(self, engine_id: str) -> bool:
        """Whether it is alive, and seen to be."""
        found = self.living.get(EngineId(engine_id))
        return found is not None and not found.is_cut_off

    def any_engine(self) -> Any:
        alive = sorted(self.living)
        return self.living[self.random.choice(alive)] if alive else None

    def is_quiet(self) -> bool:
        """Whether nothing is under way and nothing is left behind."""
        return not any(self.invariants.unfinished(stack.id) for stack in self.ledger.live())


def _again(message: Posted, unique_id: str) -> Posted:
    return replace(
        message, body=message.body.replace(message.unique_id, unique_id), unique_id=unique_id
    )
