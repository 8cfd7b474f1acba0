"""[database] becomes limits, sessions, retries and a URL that the driver understands."""

from pathlib import Path

import pytest
import trio_asyncio

from heat_app.config import ConfigurationProblem, DatabaseSettings, Settings
from heat_app.database_settings import DatabasePlan
from heat_io.database import Ambient, MariaDbLimits, RetryPolicy, SessionSettings

URL = "mysql+pymysql://heat:hush@db/heat?charset=utf8"


def _plan(**options: object) -> DatabasePlan:
    return DatabasePlan.from_settings(DatabaseSettings(**{"connection": URL, **options}))  # type: ignore[arg-type] # tests name them


def test_heats_defaults_are_a_bound_and_not_a_wish() -> None:
    plan = _plan()
    assert plan.limits == MariaDbLimits()
    assert plan.session == SessionSettings("TRADITIONAL", None)
    assert plan.retry == RetryPolicy(conflict_attempts=21, lost_attempts=21)
    assert (plan.connect_retries, plan.connect_pause_seconds) == (10, 10)


@pytest.mark.parametrize(
    ("pool", "overflow", "transactions", "reads"),
    [
        (5, 50, 8, 8),
        (5, 0, 3, 2),
        (1, 0, 2, 2),
        (5, 4, 5, 4),
        (5, -1, 8, 8),
        (40, 0, 20, 20),
        (40, -1, 20, 20),
        (0, 10, 8, 8),
        (None, None, 8, 8),
    ],
)
def test_a_budget_of_connections(
    pool: int | None, overflow: int | None, transactions: int, reads: int
) -> None:
    limits = _plan(max_pool_size=pool, max_overflow=overflow).limits
    assert (limits.transactions, limits.reads) == (transactions, reads)


def test_what_an_operator_sets(tmp_path: Path) -> None:
    path = tmp_path / "heat.conf"
    path.write_text(
        f"[database]\nconnection = {URL}\nconnection_parameters = read_timeout=7&write_timeout=9\n"
        "connection_recycle_time = 280\nmysql_sql_mode =\nmysql_wsrep_sync_wait = 3\n"
        "db_max_retries = -1\ndb_max_retry_interval = 4\nmax_retries = -1\nretry_interval = 2\n"
        "sqlite_synchronous = false\n"
    )
    plan = DatabasePlan.from_settings(Settings.load([path]).database)
    assert plan.url.query == {"charset": "utf8", "read_timeout": "7", "write_timeout": "9"}
    assert plan.limits.recycle_seconds == 280
    assert plan.session == SessionSettings("", 3)
    assert plan.retry.pause_seconds(ConfigurationProblem(), 1, 1.0) is None
    assert (plan.retry.lost_attempts, plan.retry.lost_pause_seconds) == (1_000_000, 4)
    assert (plan.connect_retries, plan.connect_pause_seconds) == (-1, 2)
    assert plan.sqlite_synchronous is False
    (sentence,) = plan.ignored
    assert sentence.startswith("write_timeout in the database URL has no effect")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"connection": None}, r"\[database\] connection is not set"),
        ({"connection": "mysql+pymysql://heat:hush@db:port/heat"}, "connection can't be read"),
        ({"connection": "heat:hush"}, "connection can't be read"),
        ({"connection": f"{URL}&bind_address=1.2.3.4"}, "doesn't know: bind_address"),
        ({"mysql_sql_mode": "X'; DROP"}, "mysql_sql_mode"),
    ],
)
def test_what_cannot_be_used_is_said_without_the_password(
    options: dict[str, object], said: str
) -> None:
    with pytest.raises(ValueError, match=said) as raised:
        _plan(**options)
    assert "hush" not in str(raised.value)


async def test_a_database_that_refuses_is_said(mysql_url: str) -> None:
    server = mysql_url.partition("@")[2]
    plan = _plan(connection=f"mysql+pymysql://nobody_such:hush@{server}/none?write_timeout=3")
    async with trio_asyncio.open_loop() as loop:
        with pytest.raises(ConfigurationProblem, match="Access denied") as raised:
            async with plan.open(Ambient(), loop=loop):
                raise AssertionError("it was opened")
    assert "hush" not in str(raised.value)


async def test_a_database_that_does_not_answer_is_given_up(autojump_clock: object) -> None:
    plan = _plan(connection="mysql://u:hush@127.0.0.1:1/heat", max_retries=2, retry_interval=100)
    async with trio_asyncio.open_loop() as loop:
        with pytest.raises(ConfigurationProblem, match="can't be used"):
            async with plan.open(Ambient(), loop=loop):
                raise AssertionError("it was opened")


async def test_sqlite_opens(tmp_path: Path) -> None:
    plan = _plan(connection=f"sqlite:///{tmp_path / 'x'}")
    async with plan.open(Ambient(), loop=None) as database:  # type: ignore[arg-type] # SQLite needs none
        assert database.executor.max_lanes == 1
