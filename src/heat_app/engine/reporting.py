"""An engine's row of `service`: its signs of life for operators and other engines.

Source: rules/k-locks-services.md#8-11. The row's report_interval is what operators' tools reckon
with; signs may come more often.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

import trio
from sqlalchemy import Connection

from heat_core.rpc import ENGINE_METHODS
from heat_core.stack import EngineId, ServiceRecord
from heat_io.database import Database, DatabaseFailure, services

log = logging.getLogger(__name__)

BINARY = "heat-engine"
STALE_INTERVALS = 3
GOODBYE_SECONDS = 2.0


def service_record(
    *, service_id: str, engine_id: EngineId, host: str, hostname: str, report_interval: int
) -> ServiceRecord:
    """The row of an engine of this process; `report_interval` is periodic_interval."""
    return ServiceRecord(
        id=service_id,
        engine_id=engine_id,
        host=host,
        hostname=hostname,
        binary=BINARY,
        topic=ENGINE_METHODS.name,
        report_interval=report_interval,
    )


async def report(
    database: Database,
    record: ServiceRecord,
    *,
    interval_seconds: float,
    signed: Callable[[float], None] = lambda began_at: None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Keep the engine's row alive until cancelled, then mark it as deleted.

    `signed` is told when the write of each stored sign began, by trio's clock.

    Rows that earlier lives of this very process left behind are marked at the start. A database
    that is away for a while costs signs, not the engine.
    """
    stale = timedelta(seconds=STALE_INTERVALS * record.report_interval)

    def begin(connection: Connection) -> None:
        services.soft_delete_stale(
            connection,
            host=record.host,
            binary=record.binary,
            hostname=record.hostname,
            older_than=stale,
        )
        services.insert(connection, record)

    def sign(connection: Connection) -> None:
        if not services.touch(connection, record.id):
            services.insert(connection, record)

    began_at = trio.current_time()
    await database.transaction(begin)
    signed(began_at)
    task_status.started()
    try:
        while True:
            await trio.sleep(interval_seconds)
            began_at = trio.current_time()
            try:
                await database.transaction(sign)
                signed(began_at)
            except DatabaseFailure:
                log.warning("a sign of life could not be stored", exc_info=True)
    finally:
        with trio.move_on_after(GOODBYE_SECONDS, shield=True):
            try:
                await database.transaction(
                    lambda connection: services.soft_delete(connection, record.id)
                )
            except DatabaseFailure:
                log.warning("the good-bye could not be stored", exc_info=True)
