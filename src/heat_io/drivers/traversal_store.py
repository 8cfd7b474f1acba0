"""The transactions of a traversal's beginning and end: plain units of work.

Each is one transaction that checks stack.current_traversal before it changes anything and answers
None when the traversal was lost. Each may be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from heat_core.convergence import (
    PREPARED,
    Node,
    SwitchTraversal,
    TemplateChange,
    decode_deps,
    encode_deps,
    is_prepared,
    new_sync_points,
    read_mark,
    select_rows,
    stack_sync_point,
    traversal_graph,
)
from heat_core.convergence.selection import is_gone
from heat_core.environment import Environment
from heat_core.graph import Graph
from heat_core.stack import StackDefinition
from heat_core.stack.events import stack_event
from heat_core.stack.ids import ResourceId, StackId, TemplateId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_core.template import empty_template, without_resources
from heat_io.database import events, resource_removal, resources, stacks, sync_points, templates


@dataclass(frozen=True, slots=True)
class Stamp:
    """Ids and time of one unit, made before it so that a repeat writes the same."""

    now: datetime
    event_uuid: str
    traversal_id: TraversalId


def stop(connection: Connection, stack: StackRecord, stamp: Stamp) -> StackRecord | None:
    """Cut the running traversal off (rules/i-convergence.md#10). None: it has ended by itself."""
    if not _lock(connection, stack) or _status(connection, stack) is not Status.IN_PROGRESS:
        return None
    return _move(
        connection,
        stack,
        stamp,
        {
            "status": Status.FAILED,
            "status_reason": f"Stack {stack.action} cancelled",
            "current_traversal": stamp.traversal_id,
        },
    )


def switch(connection: Connection, effect: SwitchTraversal, stamp: Stamp) -> StackRecord | None:
    """Store the new traversal with its template, its mark and its event (rules/i#5-6)."""
    stack = effect.stack
    if not _lock(connection, stack):
        return None
    if effect.action is Action.ROLLBACK and _status(connection, stack) is Status.COMPLETE:
        # The end of an operation keeps its traversal, but what to go back to is purged after it.
        return None
    values: dict[str, Any] = dict(effect.changes)
    template_id = _template_of(connection, effect)
    if template_id != stack.raw_template_id or effect.template is not TemplateChange.KEEP:
        values["raw_template_id"] = template_id
        if effect.action not in (Action.CREATE, Action.ADOPT):
            values["prev_raw_template_id"] = stack.raw_template_id
    if effect.action is not Action.CREATE:
        values["updated_at"] = stamp.now
    values |= {
        "action": effect.action,
        "status": Status.IN_PROGRESS,
        "status_reason": f"Stack {effect.action} started",
        "current_traversal": stamp.traversal_id,
    }
    moved = _move(connection, stack, stamp, values)
    if moved is not None:
        mark = {"action": effect.action.value}
        point = stack_sync_point(stack.id, stamp.traversal_id, mark)
        sync_points.insert_many(connection, [point])
    return moved


def _move(
    connection: Connection, stack: StackRecord, stamp: Stamp, values: Mapping[str, Any]
) -> StackRecord | None:
    if not stacks.update_if_traversal(connection, stack.id, stack.current_traversal, values):
        return None
    if stack.current_traversal:
        sync_points.delete_for_traversal(connection, stack.id, stack.current_traversal)
    moved = replace(stack, **values)
    events.insert_many(connection, [stack_event(moved, uuid=stamp.event_uuid, now=stamp.now)])
    return moved


def _template_of(connection: Connection, effect: SwitchTraversal) -> TemplateId:
    stack = effect.stack
    match effect.template:
        case TemplateChange.KEEP:
            return stack.raw_template_id
        case TemplateChange.GIVEN:
            if effect.template_id is None:
                raise AssertionError("a template was promised and not given")
            return effect.template_id
        case TemplateChange.PREVIOUS_OR_EMPTY:
            if stack.prev_raw_template_id is not None:
                return stack.prev_raw_template_id
            current = templates.fetch(connection, stack.raw_template_id)
            if current is None:
                raise AssertionError("a stack has lost its template")
            empty = empty_template(current.template)
            return templates.insert(connection, empty, Environment().stored()).id
        case TemplateChange.WITHOUT_RESOURCES:
            current = templates.fetch(connection, stack.raw_template_id)
            if current is None:
                raise AssertionError("a stack has lost its template")
            return templates.insert(
                connection,
                without_resources(current.template),
                current.environment,
                files_id=current.files_id,
                secret_parameters=current.environment.get("encrypted_param_names") or (),
            ).id


def _lock(connection: Connection, stack: StackRecord) -> bool:
    """Hold the stack's row until the transaction ends, if it still is in this traversal."""
    traversal = stack.current_traversal
    return stacks.update_if_traversal(
        connection, stack.id, traversal, {"current_traversal": traversal}
    )


def _status(connection: Connection, stack: StackRecord) -> Status | None:
    """The status that is stored now, None for a stack that is gone."""
    current = stacks.fetch(connection, stack.id, with_deps=False)
    return None if current is None else current.status


@dataclass(frozen=True, slots=True)
class Prepared:
    """The stored graph and the leaves to cast, each with the row to visit."""

    graph: Graph[Node]
    leaves: tuple[tuple[Node, ResourceId], ...]


def prepare(
    connection: Connection,
    stack: StackRecord,
    definition: StackDefinition,
    new_uuid: Callable[[], str],
    now: datetime,
) -> Prepared | None:
    """Choose and insert rows, store the graph, create all sync points (rules/i#8, h#1-4).

    None too when that is done already: an engine that was slow finds that another did it, or that
    the operation has even ended, which keeps its traversal but leaves no sync points.
    """
    traversal = stack.current_traversal
    if traversal is None or not _lock(connection, stack):
        return None
    if _status(connection, stack) is not Status.IN_PROGRESS:
        return None
    mark = read_mark(sync_points.fetch(connection, stack.id, traversal, True))
    if mark is not None and mark.get(PREPARED):
        return None
    existing = resources.fetch_by_stack(connection, stack.id)
    requires = definition.requires
    order = Graph.from_edges(
        (name, needed) for name in requires for needed in (requires[name] or (None,))
    ).topological()
    selection = select_rows(
        order,
        existing,
        template_id=stack.raw_template_id,
        previous_template_id=stack.prev_raw_template_id,
    )
    ids = dict(selection.chosen)
    if selection.missing:
        new = {name: new_uuid() for name in selection.missing}
        root = stacks.root_id(connection, stack)
        stored = resources.insert_many(
            connection,
            [_new_row(stack, root, name, uuid, now) for name, uuid in new.items()],
        )
        ids |= {name: stored[uuid] for name, uuid in new.items()}
    graph = traversal_graph(requires=requires, ids=ids, existing=existing)
    stacks.update_if_traversal(
        connection, stack.id, traversal, {"current_deps": encode_deps(graph)}
    )
    sync_points.delete_for_traversal(connection, stack.id, traversal)
    new_mark = {"action": stack.action.value, PREPARED: True}
    sync_points.insert_many(connection, list(new_sync_points(stack.id, traversal, graph, new_mark)))
    return _prepared(graph)


def read_prepared(connection: Connection, stack: StackRecord) -> Prepared | None:
    """What `prepare` stored, None if it did not."""
    full = stacks.fetch(connection, stack.id)
    traversal = stack.current_traversal
    if full is None or not traversal or full.current_traversal != traversal:
        return None
    if not is_prepared(sync_points.fetch(connection, stack.id, traversal, True)):
        return None
    return _prepared(decode_deps(full.current_deps))


def _prepared(graph: Graph[Node]) -> Prepared:
    leaves = tuple(
        (node, ResourceId(node.id))
        for node in sorted(graph.leaves(), key=lambda n: (n.is_update, n))
        if isinstance(node.id, int)
    )
    return Prepared(graph, leaves)


def _new_row(
    stack: StackRecord, root: StackId, name: str, uuid: str, now: datetime
) -> ResourceRecord:
    return ResourceRecord(
        id=ResourceId(0),
        uuid=uuid,
        name=name,
        stack_id=stack.id,
        root_stack_id=root,
        current_template_id=stack.raw_template_id,
        created_at=now,
        # The stack's, as Heat has it: what an update adds counts as updated by it.
        updated_at=stack.updated_at,
    )


def store_status(
    connection: Connection, stack: StackRecord, status: Status, reason: str, stamp: Stamp
) -> StackRecord | None:
    """Store the final status while the traversal is still running in this very action."""
    if not _lock(connection, stack):
        return None
    current = stacks.fetch(connection, stack.id, with_deps=False)
    if current is None or current.status is not Status.IN_PROGRESS:
        return None
    values: dict[str, Any] = {"status": status, "status_reason": reason}
    stacks.update_if_traversal(connection, stack.id, stack.current_traversal, values)
    ended = replace(current, **values)
    events.insert_many(connection, [stack_event(ended, uuid=stamp.event_uuid, now=stamp.now)])
    return ended


def purge(connection: Connection, stack: StackRecord) -> bool:
    """Remove what the traversal left behind (rules/i-convergence.md#35). False: it was lost."""
    traversal = stack.current_traversal
    values: dict[str, Any] = {}
    if stack.status is Status.FAILED:
        values["current_traversal"] = ""
    else:
        values["prev_raw_template_id"] = None
    if not stacks.update_if_traversal(connection, stack.id, traversal, values):
        return False
    rows = resources.fetch_by_stack(connection, stack.id)
    gone = [row for row in rows if is_gone(row)]
    if gone:
        resource_removal.delete_rows(connection, [row.id for row in gone])
        forget_ids(connection, rows, {row.id for row in gone})
    unused = {row.current_template_id for row in gone if row.current_template_id is not None}
    if stack.status is not Status.FAILED and stack.prev_raw_template_id is not None:
        unused.add(stack.prev_raw_template_id)
    unused.discard(stack.raw_template_id)
    templates.delete_unreferenced(connection, unused)
    if traversal:
        sync_points.delete_for_traversal(connection, stack.id, traversal)
    if stack.action is Action.DELETE and stack.status is Status.COMPLETE:
        # Engines of Heat's that died on the way to another traversal leave those of the last one.
        sync_points.delete_for_stack(connection, stack.id)
        stacks.soft_delete(connection, stack.id)
    return True


def forget_ids(
    connection: Connection, rows: Iterable[ResourceRecord], gone: set[ResourceId]
) -> None:
    """Take removed ids out of the rows that name them, where they may come back.

    Heat leaves them, since an id without a row means nothing. SQLite gives the id of the last row
    to the next one: what names it would then name a stranger.
    """
    if connection.dialect.name != "sqlite":
        return
    for row in rows:
        if row.id in gone:
            continue
        values: dict[str, Any] = {}
        if row.replaced_by in gone:
            values["replaced_by"] = None
        if row.replaces in gone:
            values["replaces"] = None
        if not gone.isdisjoint(row.requires):
            values["requires"] = tuple(needed for needed in row.requires if needed not in gone)
        if values:
            resources.update(connection, row.id, values)
