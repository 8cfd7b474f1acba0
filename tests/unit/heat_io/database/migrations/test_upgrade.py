"""The migrations give Heat's schema, to the letter, and leave a finished database alone."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import create_async_engine

from heat_io.database import Database, driver_url, migrate
from heat_io.database.migrations import HEAD, current_revision, upgrade

REVISIONS = ("c6214ca60943", "d2db381e3324", "88be64598c0f", "97b2a986f922")


def statements(path: Path) -> set[str]:
    return {part.strip() for part in path.read_text().split(";\n") if part.strip()}


def sqlite_statements(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {row[0].strip() for row in rows}


def dump(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        lines = list(connection.iterdump())
    connection.close()
    return lines


def query(url: str, sql: str) -> list[tuple[Any, ...]]:
    async def work() -> list[tuple[Any, ...]]:
        engine = create_async_engine(driver_url(url), isolation_level="AUTOCOMMIT")
        try:
            async with engine.connect() as connection:
                result = await connection.execute(text(sql))
                return [tuple(row) for row in result] if result.returns_rows else []
        finally:
            await engine.dispose()

    return asyncio.run(work())


def mariadb_statements(url: str) -> set[str]:
    tables = [row[0] for row in query(url, "SHOW TABLES")]
    found = (query(url, f"SHOW CREATE TABLE `{table}`")[0][1] for table in tables)
    return {re.sub(r" AUTO_INCREMENT=\d+", "", sql) for sql in found}


def test_the_sqlite_schema_equals_heats(tmp_path: Path, shared: Path) -> None:
    path = tmp_path / "heat.db"
    migrate(f"sqlite:///{path}")
    assert sqlite_statements(path) == statements(shared / "facts" / "schema-sqlite.sql")


def test_the_mariadb_schema_equals_heats(mariadb_url: str, shared: Path) -> None:
    assert mariadb_statements(mariadb_url) == statements(shared / "facts" / "schema-mysql.sql")


def test_a_database_at_head_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "heat.db"
    migrate(f"sqlite:///{path}")
    before = path.read_bytes()
    migrate(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_every_revision_can_be_reached_alone_and_gone_on_from(tmp_path: Path, shared: Path) -> None:
    path = tmp_path / "heat.db"
    for revision in REVISIONS:
        migrate(f"sqlite:///{path}", revision)
        engine = create_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            assert current_revision(connection) == revision
        engine.dispose()
    assert sqlite_statements(path) == statements(shared / "facts" / "schema-sqlite.sql")


def test_old_snapshots_become_creations(tmp_path: Path) -> None:
    path = tmp_path / "heat.db"
    migrate(f"sqlite:///{path}", REVISIONS[2])
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO snapshot (id, stack_id, tenant) VALUES ('s', 'st', 't')")
    connection.commit()
    migrate(f"sqlite:///{path}")
    assert connection.execute("SELECT action FROM snapshot").fetchall() == [("CREATE",)]
    connection.close()


def test_a_database_of_the_older_migration_tool_starts_at_the_first_revision(
    tmp_path: Path,
) -> None:
    path = tmp_path / "heat.db"
    migrate(f"sqlite:///{path}", REVISIONS[0])
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE alembic_version")
    connection.execute("CREATE TABLE migrate_version (version INTEGER)")
    connection.commit()
    migrate(f"sqlite:///{path}")
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
    assert "extra_data" in [
        row[1] for row in connection.execute("PRAGMA table_info(sync_point)").fetchall()
    ]
    connection.close()


def test_mariadb_goes_step_by_step_too(mariadb_server: Callable[[], str], shared: Path) -> None:
    url = mariadb_server()
    for revision in REVISIONS:
        migrate(url, revision)
        assert query(url, "SELECT version_num FROM alembic_version") == [(revision,)]
    assert mariadb_statements(url) == statements(shared / "facts" / "schema-mysql.sql")


@pytest.mark.blocks_the_loop("DDL on the database in memory runs in the test's thread")
async def test_an_open_database_migrates_itself(database: Database) -> None:
    await database.migrate()
    assert await database.read(current_revision) == HEAD


@pytest.fixture(scope="module")
def heat_manage() -> Path:
    """The real Heat's heat-manage; this test compares with it where it is installed."""
    path = Path.home() / ".cache" / "heat-reference" / "venv" / "bin" / "heat-manage"
    if not path.exists():
        pytest.skip("not run: no Heat installed for comparison")
    return path


def heat_db_sync(heat_manage: Path, folder: Path, url: str) -> None:
    config = folder / "heat.conf"
    config.write_text(f"[database]\nconnection = {url}\n")
    subprocess.run(
        [heat_manage, "--config-file", config, "db_sync"],
        check=True,
        capture_output=True,
        timeout=120,
    )


def test_heats_own_sqlite_database_is_accepted_untouched(tmp_path: Path, heat_manage: Path) -> None:
    path = tmp_path / "heat.db"
    heat_db_sync(heat_manage, tmp_path, f"sqlite:///{path}")
    before, bytes_before = dump(path), path.read_bytes()
    migrate(f"sqlite:///{path}")
    assert path.read_bytes() == bytes_before
    ours = tmp_path / "ours.db"
    migrate(f"sqlite:///{ours}")
    assert sorted(dump(ours)) == sorted(before)


def test_heats_own_mariadb_database_is_accepted_untouched(
    tmp_path: Path, heat_manage: Path, mariadb_server: Callable[[], str], mariadb_url: str
) -> None:
    url = mariadb_server()
    heat_db_sync(
        heat_manage,
        tmp_path,
        driver_url(url)
        .set(drivername="mysql+pymysql", query={})
        .render_as_string(hide_password=False),
    )
    before = mariadb_statements(url)
    migrate(url)
    assert mariadb_statements(url) == before == mariadb_statements(mariadb_url)


def test_upgrade_says_which_revision_is_unknown(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.begin() as connection, pytest.raises(Exception, match="nonsense"):
        upgrade(connection, "nonsense")
    engine.dispose()
