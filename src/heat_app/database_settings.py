"""[database] as heat_io.database wants it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Self

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from heat_app.config import ConfigurationProblem, DatabaseSettings
from heat_io.database import (
    Ambient,
    Database,
    DatabaseFailure,
    MariaDbLimits,
    RetryPolicy,
    SessionSettings,
    UnsupportedDatabase,
    database_target,
)
from heat_io.database.mariadb import AsyncioLoop

__all__ = ["DatabasePlan"]

log = logging.getLogger(__name__)

CONNECTIONS: Final = 16
"""what a process uses of its budget unless max_pool_size itself is larger"""
FEWEST: Final = 4
FOR_EVER: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class DatabasePlan:
    """A database that can be opened. `ignored`: what in its URL has no effect, a sentence each."""

    url: URL
    limits: MariaDbLimits
    session: SessionSettings
    retry: RetryPolicy
    sqlite_synchronous: bool = True
    connect_retries: int = 10
    connect_pause_seconds: float = 10.0
    ignored: tuple[str, ...] = ()

    @classmethod
    def from_settings(cls, settings: DatabaseSettings) -> Self:
        """Raises ValueError with a sentence, without passwords, for what can't be used."""
        url = _url(settings)
        target = database_target(url)
        attempts = _attempts(settings.db_max_retries)
        return cls(
            url,
            _limits(settings),
            SessionSettings(settings.mysql_sql_mode, settings.mysql_wsrep_sync_wait),
            RetryPolicy(
                conflict_attempts=attempts,
                lost_attempts=attempts,
                lost_pause_seconds=settings.db_max_retry_interval,
            ),
            sqlite_synchronous=settings.sqlite_synchronous,
            connect_retries=-1 if settings.max_retries is None else settings.max_retries,
            connect_pause_seconds=settings.retry_interval,
            ignored=target.ignored,
        )

    @asynccontextmanager
    async def open(self, surroundings: Ambient, *, loop: AsyncioLoop) -> AsyncIterator[Database]:
        """The database, once it answers; options of its URL without effect are logged.

        Raises ConfigurationProblem when it does not answer for as long as max_retries allows, and
        at once when it refuses.
        """
        for sentence in self.ignored:
            log.warning(sentence)
        async with Database.open(
            self.url,
            surroundings=surroundings,
            retry=self.retry,
            loop=loop,
            limits=self.limits,
            session=self.session,
            sqlite_synchronous=self.sqlite_synchronous,
        ) as database:
            try:
                await database.wait_until_reachable(
                    retries=self.connect_retries, pause_seconds=self.connect_pause_seconds
                )
            except (DatabaseFailure, SQLAlchemyError) as error:
                raise ConfigurationProblem(
                    f"The database of [database] connection can't be used: {_reason(error)}"
                ) from error
            yield database


def _url(settings: DatabaseSettings) -> URL:
    if not settings.connection:
        raise ValueError("[database] connection is not set")
    try:
        url = make_url(settings.connection)
    except (ArgumentError, ValueError):
        # Without the text, which holds a password.
        raise UnsupportedDatabase(
            "[database] connection can't be read: mysql+pymysql://USER:PASSWORD@HOST/NAME, with "
            "%XX for characters of the password such as @, / and :."
        ) from None
    if settings.connection_parameters:
        url = url.update_query_string(settings.connection_parameters)
    return url


def _reason(error: Exception) -> str:
    """The server's or the driver's own words, without SQLAlchemy's around them."""
    return str(getattr(error, "orig", None) or error)


def _attempts(retries: int) -> int:
    return FOR_EVER if retries < 0 else retries + 1


def _limits(settings: DatabaseSettings) -> MariaDbLimits:
    """Half of the connections for transactions, half for reads.

    Never more than max_pool_size and max_overflow allow together, and no more than CONNECTIONS
    unless max_pool_size asks for them: servers' own limits are for everybody.
    """
    pool = settings.max_pool_size or FOR_EVER
    overflow = settings.max_overflow
    allowed = FOR_EVER if overflow is None or overflow < 0 else pool + overflow
    wanted = CONNECTIONS if pool == FOR_EVER else max(CONNECTIONS, pool)
    connections = max(FEWEST, min(allowed, wanted))
    return MariaDbLimits(
        transactions=connections - connections // 2,
        reads=connections // 2,
        recycle_seconds=settings.connection_recycle_time,
    )
