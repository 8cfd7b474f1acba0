"""The table `service`: the engines' signs of life (rules/k-locks-services.md#8-13)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from heat_core.stack.ids import EngineId
from heat_core.stack.records import ServiceRecord
from heat_io.database.ambient import ambient
from heat_io.database.schema import service

_LIVE: Final = (
    select(service)
    .where(service.c.deleted_at.is_(None))
    .order_by(service.c.created_at, service.c.id)
)


def insert(connection: Connection, record: ServiceRecord) -> None:
    """Store an engine's row at its first report."""
    connection.execute(
        service.insert(),
        {
            "id": record.id,
            "engine_id": record.engine_id,
            "host": record.host,
            "hostname": record.hostname,
            "binary": record.binary,
            "topic": record.topic,
            "report_interval": record.report_interval,
            "created_at": record.created_at or ambient(connection).now(),
        },
    )


def touch(connection: Connection, service_id: str) -> bool:
    """A sign of life: updated_at is now, and not deleted; False when the row is gone."""
    result = connection.execute(
        service.update()
        .where(service.c.id == service_id)
        .values(updated_at=ambient(connection).now(), deleted_at=None)
    )
    return result.rowcount > 0


def fetch(connection: Connection, engine_id: EngineId) -> ServiceRecord | None:
    """The latest row of an engine, deleted ones too; None when it has never reported."""
    query = select(service).where(service.c.engine_id == engine_id)
    row = connection.execute(query.order_by(service.c.created_at.desc()).limit(1)).first()
    return None if row is None else _record(row)


def list_live(connection: Connection) -> list[ServiceRecord]:
    """The rows that are not deleted, oldest first."""
    return [_record(row) for row in connection.execute(_LIVE)]


def count_up(connection: Connection) -> int:
    """How many engines have reported within two of their intervals."""
    now = ambient(connection).now()

    def is_up(record: ServiceRecord) -> bool:
        last_sign = record.updated_at or record.created_at
        return last_sign is not None and now - last_sign <= 2 * timedelta(
            seconds=record.report_interval
        )

    return sum(map(is_up, list_live(connection)))


def soft_delete(connection: Connection, service_id: str) -> bool:
    """Mark the row as deleted; False when it is gone."""
    result = connection.execute(
        service.update()
        .where(service.c.id == service_id)
        .values(deleted_at=ambient(connection).now())
    )
    return result.rowcount > 0


def soft_delete_stale(
    connection: Connection, *, host: str, binary: str, hostname: str, older_than: timedelta
) -> int:
    """Mark rows of earlier lives of this very host as deleted; how many.

    Rows that never reported a second time are kept (rules/k-locks-services.md#10).
    """
    now = ambient(connection).now()
    result = connection.execute(
        service.update()
        .where(
            service.c.host == host,
            service.c.binary == binary,
            service.c.hostname == hostname,
            service.c.deleted_at.is_(None),
            service.c.updated_at < now - older_than,
        )
        .values(deleted_at=now)
    )
    return result.rowcount


def _record(row: Row[Any]) -> ServiceRecord:
    return ServiceRecord(**row._mapping)
