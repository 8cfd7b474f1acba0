"""MariaDB: statements sent, conflicts, cut connections, lost commits, cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest
import trio
import trio_asyncio
from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import DataError, OperationalError
from sqlalchemy.util import await_only

from heat_io.database import (
    Ambient,
    Applied,
    CommitUnknown,
    Conflict,
    ConnectionLost,
    Database,
    Lost,
    MariaDbLimits,
    RetryPolicy,
    SessionSettings,
    Write,
    resources,
    stacks,
    templates,
)


@pytest.fixture
def backend() -> str:
    return "mariadb"


def scalar(sql: str) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(text(sql)).scalar()


async def test_the_session_is_strict_and_reads_what_is_committed(database: Database) -> None:
    mode = await database.transaction(scalar("SELECT @@sql_mode"))
    assert "STRICT_ALL_TABLES" in str(mode)
    level = await database.transaction(scalar("SELECT @@tx_isolation"))
    assert level == "READ-COMMITTED"
    assert await database.read(scalar("SELECT @@autocommit")) == 1
    assert await database.read(scalar("SELECT @@character_set_client")) == "utf8mb4"
    assert database.executor.max_lanes == 6


async def test_what_a_session_begins_with(url: str) -> None:
    options = f"{url}?collation=utf8mb4_bin&init_command=SET+%40mine=7"
    settings = SessionSettings(sql_mode="ANSI_QUOTES", wsrep_sync_wait=3)
    async with (
        trio_asyncio.open_loop() as loop,
        Database.open(options, loop=loop, session=settings) as database,
    ):
        assert await database.read(scalar("SELECT @@sql_mode")) == "ANSI_QUOTES"
        assert await database.transaction(scalar("SELECT @@wsrep_sync_wait")) == 3
        assert await database.read(scalar("SELECT @@collation_connection")) == "utf8mb4_bin"
        assert await database.transaction(scalar("SELECT @mine")) == 7
    silent = SessionSettings(sql_mode=None)
    assert silent.statement() is None


async def test_data_that_does_not_fit_is_an_error(database: Database, build) -> None:
    with pytest.raises(DataError):
        await database.transaction(lambda connection: build.stack(connection, "x" * 256))


async def test_many_rows_are_one_statement_for_the_server(database: Database, build) -> None:
    stack = await database.transaction(lambda connection: build.stack(connection))
    records = [build.resource(stack, f"r{number}") for number in range(200)]
    sent: list[int] = []

    def work(connection: Connection) -> None:
        counts = "SHOW SESSION STATUS LIKE 'Com_insert'"
        before = connection.execute(text(counts)).one()[1]
        resources.insert_many(connection, records)
        sent.append(int(connection.execute(text(counts)).one()[1]) - int(before))

    await database.transaction(work)
    assert sent == [1]


async def test_a_read_is_one_statement_and_a_write_needs_no_rollback(
    database: Database, build
) -> None:
    def counts(connection: Connection) -> dict[str, int]:
        rows = connection.execute(text("SHOW SESSION STATUS LIKE 'Com\\_%'"))
        return {row[0]: int(row[1]) for row in rows}

    before = await database.read(counts)
    await database.read(scalar("SELECT 1"))
    after = await database.read(counts)
    changed = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    # The SHOW of the first count comes on top.
    assert changed == {"Com_select": 1, "Com_show_status": 1}

    before = await database.transaction(counts)
    await database.transaction(lambda connection: build.template(connection))
    after = await database.transaction(counts)
    changed = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert changed == {"Com_insert": 1, "Com_commit": 2, "Com_show_status": 1}


async def test_a_deadlock_is_retried(database: Database, build) -> None:
    def prepare(connection: Connection) -> list[int]:
        stack = build.stack(connection)
        return [build.stored(connection, stack, name).id for name in "ab"]

    ids = await database.transaction(prepare)
    attempts: list[int] = []

    def crossing(first: int, second: int) -> Callable[[Connection], None]:
        def work(connection: Connection) -> None:
            attempts.append(first)
            resources.update(connection, first, {"status_reason": "1"})
            # Time for the other to lock its first row.
            connection.execute(text("SELECT SLEEP(0.2)"))
            resources.update(connection, second, {"status_reason": "2"})

        return work

    async with trio.open_nursery() as nursery:
        nursery.start_soon(database.transaction, crossing(ids[0], ids[1]))
        nursery.start_soon(database.transaction, crossing(ids[1], ids[0]))
    assert len(attempts) == 3


class Held:
    """A transaction that has done its work and waits, in the middle of its unit."""

    def __init__(self) -> None:
        self.waiting = trio.Event()
        self._go_on = asyncio.Event()

    def unit(self, work: Callable[[Connection], object]) -> Callable[[Connection], None]:
        def run(connection: Connection) -> None:
            work(connection)
            self.waiting.set()
            await_only(self._go_on.wait())

        return run

    def go_on(self) -> None:
        self._go_on.set()


async def test_a_lock_that_takes_too_long_is_a_conflict(database: Database, build) -> None:
    template_id = await database.transaction(lambda connection: build.template(connection))
    held = Held()

    def wants_it(connection: Connection) -> None:
        connection.execute(text("SET SESSION innodb_lock_wait_timeout = 0"))
        try:
            templates.delete(connection, template_id)
        finally:
            connection.execute(text("SET SESSION innodb_lock_wait_timeout = DEFAULT"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            database.transaction, held.unit(lambda c: templates.delete(c, template_id))
        )
        await held.waiting.wait()
        with pytest.raises(Conflict, match="Lock wait timeout"):
            await database.executor.run(wants_it, begin=True)
        held.go_on()


async def test_settling_waits_for_the_transaction_in_doubt(database: Database, build) -> None:
    record = await database.transaction(lambda connection: build.stack(connection))
    held = Held()
    seen: list[object] = []

    def read(connection: Connection) -> object:
        return stacks.fetch(connection, record.id).status_reason

    async def settle() -> None:
        seen.append(await database.executor.run(read, begin=False, settle=True))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            database.transaction,
            held.unit(lambda c: stacks.update(c, record.id, {"status_reason": "new"})),
        )
        await held.waiting.wait()
        assert await database.read(read) == "Stack CREATE started"
        nursery.start_soon(settle)
        # It has sent its query and waits for the lock.
        while await database.read(scalar(LOCK_WAITS)) == 0:
            await trio.lowlevel.checkpoint()
        assert seen == []
        held.go_on()
    assert seen == ["new"]
    level = await database.transaction(scalar("SELECT @@tx_isolation"))
    assert level == "READ-COMMITTED"


# innodb_lock_waits would do, but a table that is polled is not refreshed.
LOCK_WAITS = (
    "SELECT count(*) FROM information_schema.processlist"
    " WHERE db = database() AND info LIKE 'SELECT stack.id%'"
)


async def test_connections_that_the_server_closed_are_replaced(database: Database) -> None:
    numbers = [
        await database.read(scalar("SELECT CONNECTION_ID()")),
        await database.transaction(scalar("SELECT CONNECTION_ID()")),
    ]
    async with trio_asyncio.open_loop() as loop:
        url = database.executor.engines[0].url
        async with Database.open(url, loop=loop) as other:
            for number in numbers:
                await other.read(lambda c, number=number: c.execute(text(f"KILL {number}")))
    assert await database.read(scalar("SELECT 1")) == 1
    assert await database.transaction(scalar("SELECT 1")) == 1


async def test_a_cancelled_unit_that_has_started_ends_by_itself(database: Database, build) -> None:
    held = Held()
    done: list[str] = []

    async def work() -> None:
        await database.transaction(held.unit(lambda c: build.template(c)))
        done.append("committed")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(work)
        await held.waiting.wait()
        nursery.cancel_scope.cancel()
        held.go_on()
    assert done == ["committed"]
    assert await database.read(scalar("SELECT count(*) FROM raw_template")) == 1


async def test_a_unit_past_its_deadline_is_rolled_back(url: str, build) -> None:
    held = Held()
    limits = MariaDbLimits(transactions=1, reads=1, unit_deadline_seconds=0.05)
    async with (
        trio_asyncio.open_loop() as loop,
        Database.open(url, loop=loop, limits=limits) as database,
    ):
        before = await database.read(scalar("SELECT count(*) FROM raw_template"))
        with pytest.raises(ConnectionLost, match="deadline"):
            await database.executor.run(held.unit(lambda c: build.template(c)), begin=True)
        # The one connection is gone, the next unit gets a new one.
        count = scalar("SELECT count(*) FROM raw_template")
        assert await database.transaction(count) == before


class Proxy:
    """Passes MySQL's traffic on, and interferes with the next COMMIT when `plan` says how.

    "unsent": the server never sees it. "unanswered": the server commits, its answer gets lost.
    "stuck": it is neither passed on nor refused.
    """

    def __init__(self) -> None:
        self.plan: str | None = None
        self._muted: set[int] = set()

    async def serve(
        self, host: str, port: int, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
    ) -> None:
        async def handle(client: trio.SocketStream) -> None:
            server = await trio.open_tcp_stream(host, port)
            async with client, server, trio.open_nursery() as nursery:
                nursery.start_soon(self._requests, client, server, nursery)
                nursery.start_soon(self._answers, server, client, nursery)

        async with trio.open_nursery() as nursery:
            serve = partial(trio.serve_tcp, handle, 0, host="127.0.0.1")
            listeners = await nursery.start(serve)
            task_status.started(listeners[0].socket.getsockname()[1])

    async def _requests(
        self, client: trio.SocketStream, server: trio.SocketStream, nursery: trio.Nursery
    ) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for chunk in client:
                if self.plan is not None and chunk[4:].upper() == b"\x03COMMIT":
                    plan, self.plan = self.plan, None
                    if plan == "unsent":
                        break
                    if plan == "stuck":
                        await trio.sleep_forever()
                    self._muted.add(id(server))
                await server.send_all(chunk)
        nursery.cancel_scope.cancel()

    async def _answers(
        self, server: trio.SocketStream, client: trio.SocketStream, nursery: trio.Nursery
    ) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for chunk in server:
                if id(server) in self._muted:
                    break
                await client.send_all(chunk)
        nursery.cancel_scope.cancel()


@pytest.fixture
async def proxy(url: str, nursery: trio.Nursery) -> tuple[Proxy, str]:
    """A proxy before the server, and the URL that leads through it."""
    found = Proxy()
    target = make_url(url)
    port = await nursery.start(found.serve, target.host, target.port or 3306)
    through = target.set(host="127.0.0.1", port=port)
    return found, through.render_as_string(hide_password=False)


@pytest.mark.parametrize(("plan", "rows"), [("unsent", 0), ("unanswered", 1), ("stuck", 0)])
async def test_a_lost_commit_is_unknown(
    proxy: tuple[Proxy, str], database: Database, build, plan: str, rows: int
) -> None:
    between, through = proxy
    limits = MariaDbLimits(unit_deadline_seconds=0.3)
    async with (
        trio_asyncio.open_loop() as loop,
        Database.open(through, loop=loop, limits=limits) as cut,
    ):
        await cut.transaction(scalar("SELECT 1"))
        between.plan = plan
        with pytest.raises(CommitUnknown):
            await cut.transaction(lambda connection: build.template(connection))
        assert between.plan is None
    assert await database.read(scalar("SELECT count(*) FROM raw_template")) == rows


@pytest.mark.parametrize(("plan", "verdict"), [("unsent", Lost), ("unanswered", Applied)])
async def test_lanes_find_out_what_a_lost_commit_did(
    proxy: tuple[Proxy, str], database: Database, build, plan: str, verdict: type
) -> None:
    between, through = proxy
    record = await database.transaction(lambda connection: build.stack(connection))

    def apply(connection: Connection) -> Applied[None] | Lost:
        done = stacks.update_if_traversal(
            connection, record.id, record.current_traversal, {"status_reason": "mine"}
        )
        return Applied(None) if done else Lost()

    def confirm(connection: Connection) -> Applied[None] | Lost:
        found = stacks.fetch(connection, record.id)
        return Applied(None) if found and found.status_reason == "mine" else Lost()

    async with (
        trio_asyncio.open_loop() as loop,
        Database.open(through, loop=loop) as cut,
    ):
        await cut.transaction(scalar("SELECT 1"))
        between.plan = plan
        assert type(await cut.submit(record.id, Write(apply, confirm))) is verdict


async def test_a_server_that_is_not_there_is_a_lost_connection() -> None:
    policy = RetryPolicy(lost_attempts=2, first_pause_seconds=0.0)
    async with (
        trio_asyncio.open_loop() as loop,
        Database.open("mysql+pymysql://root@127.0.0.1:1/heat", loop=loop, retry=policy) as database,
    ):
        with pytest.raises(ConnectionLost, match=r"127\.0\.0\.1"):
            await database.read(scalar("SELECT 1"))


async def test_a_wrong_password_is_not_retried(url: str) -> None:
    wrong = make_url(url).set(username="heat_trio_nobody", password="x")
    async with (
        trio_asyncio.open_loop() as loop,
        Database.open(wrong, surroundings=Ambient(), loop=loop) as database,
    ):
        with pytest.raises(OperationalError, match="Access denied"):
            await database.read(scalar("SELECT 1"))
