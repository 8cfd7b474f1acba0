"""Which engines of a fleet are alive: by their signs in `service`, and by asking them.

An engine is taken for dead when two independent things say so: its sign of life has not changed
for a lease, by this process' own clock (wall clocks are never compared), and it does not answer on
heat-engine-listener while this engine's own listener does (else the broker may be what is silent).
A verdict holds as long as no other sign comes: an engine that was cut off comes back under its old
id and goes on with what nobody has taken meanwhile. So who takes something looks for a sign once
more, in the transaction that does it.

Heat's engines sign once a minute, so they are asked more often than ours; they answer from the
moment at which they can hold anything.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime

import trio
from sqlalchemy import Connection

from heat_core.rpc import LISTENER_METHODS, RequestContext
from heat_core.stack.ids import EngineId
from heat_core.stack.records import ServiceRecord
from heat_io.database import Database, DatabaseFailure, services
from heat_io.messaging import Bus, CallTimeout, Target

log = logging.getLogger(__name__)

LISTENING = LISTENER_METHODS["listening"]


@dataclass(slots=True)
class _Seen:
    """The last sign of an engine, and since when it has been that one."""

    sign: datetime | None
    since: float
    answered_at: float = float("-inf")
    asking: trio.Lock = field(default_factory=trio.Lock)


class FleetLiveness:
    """Liveness among other engines on the same database and broker."""

    def __init__(
        self,
        database: Database,
        bus: Bus,
        engine_id: EngineId,
        *,
        lease_seconds: float,
        answer_seconds: float,
    ) -> None:
        self._database = database
        self._bus = bus
        self._engine_id = engine_id
        self._lease_seconds = lease_seconds
        self._answer_seconds = answer_seconds
        self._seen: dict[EngineId, _Seen] = {}
        self._dead: dict[EngineId, datetime | None] = {}
        """the last sign of those that were found dead"""

    async def observe(self, interval_seconds: float) -> None:
        """Note the signs of all engines every so often, until cancelled.

        What is_dead needs to know from before it is asked.
        """
        while True:
            try:
                for record in await self._database.read(services.list_live):
                    self._note(record.engine_id, record.updated_at or record.created_at)
            except DatabaseFailure:
                log.warning("the engines' signs of life could not be read", exc_info=True)
            await trio.sleep(interval_seconds)

    async def is_dead(self, engine_id: EngineId) -> bool:
        """See Liveness.is_dead.

        An engine that was never seen, or that has come back, has a lease from now on.
        """
        if engine_id == self._engine_id:
            return False
        record = await self._database.read(lambda connection: services.fetch(connection, engine_id))
        sign = None if record is None else record.updated_at or record.created_at
        if engine_id in self._dead:
            if not self._has_come_back(engine_id, record):
                return True
            del self._dead[engine_id]
            log.warning("engine %s gives signs of life again", engine_id)
        seen = self._note(engine_id, sign)
        said_goodbye = record is not None and record.deleted_at is not None
        if not said_goodbye and trio.current_time() - seen.since < self._lease_seconds:
            return False
        async with seen.asking:
            if engine_id not in self._dead and await self._is_silent(
                engine_id, seen, said_goodbye=said_goodbye
            ):
                if seen.sign != sign:
                    return False  # it has signed while it was asked
                self._dead[engine_id] = sign
                self._seen.pop(engine_id, None)
        return engine_id in self._dead

    def is_still_dead(self, connection: Connection, engine_id: EngineId) -> bool:
        """See Liveness.is_still_dead. What it left itself without a visit, it may always take."""
        if engine_id == self._engine_id:
            return True
        if engine_id not in self._dead:
            return False
        return not self._has_come_back(engine_id, services.fetch(connection, engine_id))

    def _has_come_back(self, engine_id: EngineId, record: ServiceRecord | None) -> bool:
        """Whether somebody found dead has signed since; that its row goes is no sign."""
        if record is None or record.deleted_at is not None:
            return False
        return (record.updated_at or record.created_at) != self._dead[engine_id]

    def _note(self, engine_id: EngineId, sign: datetime | None) -> _Seen:
        seen = self._seen.get(engine_id)
        if seen is None:
            seen = self._seen[engine_id] = _Seen(sign, trio.current_time())
        elif seen.sign != sign:
            seen.sign, seen.since = sign, trio.current_time()
        return seen

    async def _is_silent(self, engine_id: EngineId, seen: _Seen, *, said_goodbye: bool) -> bool:
        # What it has answered before it said good-bye says nothing of it now.
        if not said_goodbye and trio.current_time() - seen.answered_at < self._lease_seconds:
            return False
        if await self._answers(engine_id):
            seen.answered_at = trio.current_time()
            return False
        return await self._answers(self._engine_id)

    async def _answers(self, engine_id: EngineId) -> bool:
        target = Target(LISTENER_METHODS.name, engine_id, version=LISTENING.version)
        try:
            await self._bus.call(
                target,
                LISTENING.name,
                {},
                RequestContext(),
                timeout_seconds=self._answer_seconds,
            )
        except CallTimeout:
            return False
        return True
