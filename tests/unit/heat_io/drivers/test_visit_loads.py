"""Visits that read at the same time are served by one statement, each with its own answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise

import pytest
import trio
from site_of_tests import Site, a_test_resource
from sqlalchemy import text

from heat_core.convergence import Node
from heat_io.database import ConnectionLost, Database, counting
from heat_io.drivers.definitions import Graphs
from heat_io.drivers.visit_loads import AHEAD, Loaded, VisitLoads


@asynccontextmanager
async def loads_on(database: Database) -> AsyncIterator[VisitLoads]:
    async with trio.open_nursery() as nursery:
        yield VisitLoads(database, Graphs(), nursery)


async def ask(loads: VisitLoads, ids: list[int]) -> dict[int, Loaded | Exception]:
    found: dict[int, Loaded | Exception] = {}

    async def one(number: int) -> None:
        try:
            found[number] = await loads.load(number, True)
        except Exception as error:
            found[number] = error

    async with trio.open_nursery() as nursery:
        for number in ids:
            nursery.start_soon(one, number)
    return found


async def test_many_are_read_by_one_statement(database: Database, site: Site) -> None:
    stack = site.stack({"a": a_test_resource()}, current_traversal=None)
    rows = [site.row(stack, f"r{number}") for number in range(50)]
    async with loads_on(database) as loads:
        with counting(database.executor.engines) as counter:
            found = await ask(loads, [*(row.id for row in rows), 10**6])
    # The first to ask may be read alone.
    assert counter.statements <= 2
    assert [found[row.id].row.name for row in rows] == [row.name for row in rows]
    assert found.pop(10**6) == Loaded()
    assert {loaded.stack.id for loaded in found.values()} == {stack.id}


async def test_each_sees_what_was_stored_before_it_asked(database: Database, site: Site) -> None:
    stack = site.stack({"a": a_test_resource()}, current_traversal=None)
    row = site.row(stack, "a")
    async with loads_on(database) as loads:
        for reason in ("one", "two", "three"):
            site.write(
                lambda c, reason=reason: c.execute(
                    text("UPDATE resource SET status_reason = :reason"), {"reason": reason}
                )
            )
            loaded = await loads.load(row.id, False)
            assert loaded.row is not None
            assert loaded.row.status_reason == reason


async def test_a_row_that_cannot_be_read_keeps_nobody_else_from_it(
    database: Database, site: Site
) -> None:
    stack = site.stack({"a": a_test_resource()}, current_traversal=None)
    good, bad = site.row(stack, "good"), site.row(stack, "bad")
    site.write(
        lambda c: c.execute(
            text("UPDATE resource SET requires = 'no JSON' WHERE id = :id"), {"id": bad.id}
        )
    )
    async with loads_on(database) as loads:
        found = await ask(loads, [good.id, bad.id])
    assert isinstance(found[bad.id], ValueError)
    loaded = found[good.id]
    assert isinstance(loaded, Loaded)
    assert loaded.row.name == "good"


async def test_everybody_hears_of_a_database_that_is_gone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(unit: object) -> None:
        await trio.lowlevel.checkpoint()
        raise ConnectionLost("gone")

    monkeypatch.setattr(database, "read", gone)
    async with loads_on(database) as loads:
        found = await ask(loads, [1, 2])
        assert [type(error) for error in found.values()] == [ConnectionLost] * 2
        # The next question is read anew.
        assert isinstance((await ask(loads, [3]))[3], ConnectionLost)


async def test_the_next_links_of_a_chain_are_read_in_advance(
    database: Database, site: Site
) -> None:
    stack = site.stack({"a": a_test_resource()})
    rows = [site.row(stack, f"r{number:02}") for number in range(AHEAD + 3)]
    nodes = [Node(row.id, True) for row in rows]
    site.graph(stack, [(nodes[0], None), *pairwise(reversed(nodes))])
    async with loads_on(database) as loads:
        alone = await loads.load(rows[1].id, True)
        with counting(database.executor.engines) as counter:
            found = await loads.load(rows[1].id, True, ahead=True)
    assert not alone.ahead
    assert replace(found, ahead={}) == alone
    assert list(found.ahead) == nodes[2 : AHEAD + 2]
    assert [loaded.row.name for loaded in found.ahead.values()] == [
        row.name for row in rows[2 : AHEAD + 2]
    ]
    assert {loaded.stack.id for loaded in found.ahead.values()} == {stack.id}
    assert counter.commits == 0
