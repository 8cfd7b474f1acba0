"""A database in memory with faults on request, and what stands in for the rest of the world."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from heat_io.database import Database, InlineExecutor, memory_engine, upgrade

sys.path.insert(0, str(Path(__file__).parents[3]))
sys.path.insert(0, str(Path(__file__).parent))

from site_of_tests import AMBIENT, Faults, Site


@pytest.fixture(scope="session")
def empty_database() -> Iterator[Engine]:
    """A database at head, to be copied."""
    engine = memory_engine(AMBIENT)
    with engine.begin() as connection:
        upgrade(connection)
    yield engine
    engine.dispose()


@pytest.fixture
def sql(empty_database: Engine) -> Iterator[Engine]:
    """A database at head without rows."""
    engine = memory_engine(AMBIENT)
    source, target = empty_database.raw_connection(), engine.raw_connection()
    assert source.driver_connection is not None
    source.driver_connection.backup(target.driver_connection)
    yield engine
    engine.dispose()


@pytest.fixture
def site(sql: Engine) -> Site:
    """Rows, made and looked at past the drivers."""
    return Site(sql)


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
async def database(sql: Engine, faults: Faults) -> AsyncIterator[Database]:
    executor = InlineExecutor(sql, hook=faults)
    async with Database.over(executor, surroundings=AMBIENT) as opened:
        yield opened
