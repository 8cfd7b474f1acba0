"""Transactions that race with the end of the operation that they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

import pytest
from sqlalchemy import Connection, Engine

from heat_core.convergence import SwitchTraversal, TemplateChange
from heat_core.stack import (
    Action,
    StackId,
    StackRecord,
    Status,
    TemplateId,
    TraversalId,
)
from heat_io.database import Ambient, memory_engine, stacks, templates
from heat_io.database.schema import metadata
from heat_io.drivers import traversal_store
from heat_io.drivers.traversal_store import Stamp

NOW = datetime(2026, 11, 29)
STACK = StackId("s")
STAMP = Stamp(NOW, "e" * 36, TraversalId("t2"))


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = memory_engine(Ambient(now=lambda: NOW, random=lambda: 1.0))
    with engine.begin() as connection:
        metadata.create_all(connection)
    yield engine
    engine.dispose()


def _updating(connection: Connection) -> StackRecord:
    """A stack in the middle of an update, as somebody has just read it."""
    old = templates.insert(connection, {"heat_template_version": "2018-08-31"}, {})
    new = templates.insert(connection, {"heat_template_version": "2021-04-16"}, {})
    stack = StackRecord(
        id=STACK,
        name="st1",
        tenant="PID",
        raw_template_id=new.id,
        prev_raw_template_id=old.id,
        action=Action.UPDATE,
        status=Status.IN_PROGRESS,
        current_traversal=TraversalId("t1"),
    )
    stacks.insert(connection, stack)
    return stack


def _rollback(connection: Connection, stack: StackRecord) -> StackRecord | None:
    change = TemplateChange.PREVIOUS_OR_EMPTY
    effect = SwitchTraversal(stack, Action.ROLLBACK, change, None, {})
    return traversal_store.switch(connection, effect, STAMP)


def _stop(connection: Connection, stack: StackRecord) -> StackRecord | None:
    return traversal_store.stop(connection, stack, STAMP)


type Cut = Callable[[Connection, StackRecord], StackRecord | None]


@pytest.mark.parametrize("cut", [_rollback, _stop])
def test_an_operation_that_has_just_completed_is_not_cut_off(engine: Engine, cut: Cut) -> None:
    """Its traversal is still the stack's, and what a rollback would go back to is gone."""
    with engine.begin() as connection:
        seen = _updating(connection)
        completed = replace(seen, status=Status.COMPLETE)
        stacks.update(connection, STACK, {"status": Status.COMPLETE})
        assert traversal_store.purge(connection, completed)
        for stack in (seen, replace(completed, prev_raw_template_id=None)):
            assert cut(connection, stack) is None
        current = stacks.fetch(connection, STACK)
    assert current is not None
    assert (current.action, current.status) == (Action.UPDATE, Status.COMPLETE)
    assert current.current_traversal == "t1"


def test_a_running_operation_is_stopped(engine: Engine) -> None:
    with engine.begin() as connection:
        stopped = _stop(connection, _updating(connection))
    assert stopped is not None
    assert (stopped.action, stopped.status) == (Action.UPDATE, Status.FAILED)
    assert stopped.status_reason == "Stack UPDATE cancelled"
    assert stopped.current_traversal == "t2"


@pytest.mark.parametrize("status", [Status.IN_PROGRESS, Status.FAILED])
def test_a_rollback_goes_back(engine: Engine, status: Status) -> None:
    with engine.begin() as connection:
        stack = replace(_updating(connection), status=status)
        stacks.update(connection, STACK, {"status": status})
        moved = _rollback(connection, stack)
    assert moved is not None
    assert moved.raw_template_id == stack.prev_raw_template_id
    assert moved.raw_template_id != TemplateId(0)
    assert moved.prev_raw_template_id == stack.raw_template_id
