"""Runs the revisions on an open connection.

A database at head is left as it is. One that the predecessor of Alembic left behind (it has a
table `migrate_version`) is taken for the first revision, as Heat does.
"""

from __future__ import annotations

import asyncio
from importlib.resources import files
from typing import Final

import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection

from heat_io.database.urls import DatabaseTarget, database_target

FIRST: Final = "c6214ca60943"
HEAD: Final = "97b2a986f922"


def current_revision(connection: Connection) -> str | None:
    """The revision that the database says it is at; None for a database without one."""
    return MigrationContext.configure(connection).get_current_revision()


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the database behind `connection` to `revision`; the caller commits."""
    config = Config()
    config.set_main_option("script_location", str(files("heat_io.database") / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    current = current_revision(connection)
    if current is None and sqlalchemy.inspect(connection).has_table("migrate_version"):
        command.stamp(config, FIRST)
    elif current == HEAD and revision in ("head", HEAD):
        return
    command.upgrade(config, revision)


def migrate(url: str, revision: str = "head") -> None:
    """Bring the database at `url` to `revision`, with a connection of its own.

    Blocks, and must not be called while an asyncio loop runs in this thread: for commands and
    start-up code. Inside a running process use `Database.migrate`.
    """
    target = database_target(url)
    if target.url.get_backend_name() == "sqlite":
        engine = sqlalchemy.create_engine(target.url)
        try:
            with engine.begin() as connection:
                upgrade(connection, revision)
        finally:
            engine.dispose()
    else:
        asyncio.run(_migrate_async(target, revision))


async def _migrate_async(target: DatabaseTarget, revision: str) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(target.url, connect_args=dict(target.connect_args))
    try:
        async with engine.begin() as connection:
            await connection.run_sync(upgrade, revision)
    finally:
        await engine.dispose()
