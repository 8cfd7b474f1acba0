"""What Heat's own database held while it carried stacks through their operations.

facts/convergence-state.json keeps each scenario as a first state and its changes; here they are
whole states again, one a step, and their rows are records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from heat_core.stack.ids import EngineId, ResourceId, StackId, TemplateId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord, SyncPointRecord
from heat_core.stack.states import Action, Status

type Tables = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One scenario: its states in order, the messages to workers, the events, the last tables."""

    name: str
    states: tuple[Tables, ...]
    casts: tuple[Mapping[str, Any], ...]
    events: tuple[Mapping[str, Any], ...]
    final: Tables


@cache
def scenarios(shared: Path) -> tuple[Recorded, ...]:
    """All scenarios that have states, in the order in which Heat went through them."""
    content = json.loads((shared / "facts" / "convergence-state.json").read_text())
    return tuple(
        Recorded(
            one["scenario"],
            tuple(_replayed(one["states"])),
            tuple(one["worker_casts"]),
            tuple(one["events"]),
            one["final_full"],
        )
        for one in content["scenarios"]
        if "states" in one
    )


def scenario(shared: Path, name: str) -> Recorded:
    """The scenario whose name starts with `name`."""
    return next(one for one in scenarios(shared) if one.name.startswith(name))


def _replayed(states: list[Mapping[str, Any]]) -> Iterator[Tables]:
    current: Tables = {}
    for state in states:
        if "full" in state:
            current = state["full"]
        current = {table: dict(rows) for table, rows in current.items()}
        for table, rows in state.get("added", {}).items():
            current.setdefault(table, {}).update(rows)
        for table, rows in state.get("changed", {}).items():
            for key, values in rows.items():
                current[table][key] = current[table][key] | values
        for table, keys in state.get("removed", {}).items():
            for key in keys:
                del current[table][key]
        yield current


def resource_records(state: Tables) -> list[ResourceRecord]:
    """The rows of `resource` in id order."""
    return sorted(map(resource_record, state["resource"].values()), key=lambda row: row.id)


def resource_record(row: Mapping[str, Any]) -> ResourceRecord:
    """One row, as far as it was recorded."""
    return ResourceRecord(
        id=ResourceId(row["id"]),
        uuid=f"uuid-{row['id']}",
        name=row["name"],
        stack_id=StackId("stack"),
        root_stack_id=row["root_stack_id"],
        physical_id=row["nova_instance"],
        action=Action(row["action"]),
        status=Status(row["status"]),
        status_reason=row["status_reason"],
        metadata=json.loads(row["rsrc_metadata"]),
        engine_id=None if row["engine_id"] is None else EngineId(row["engine_id"]),
        atomic_key=row["atomic_key"],
        requires=tuple(json.loads(row["requires"])),
        replaces=row["replaces"],
        replaced_by=row["replaced_by"],
        current_template_id=row["current_template_id"],
    )


def stack_records(state: Tables) -> list[StackRecord]:
    """The rows of `stack`."""
    return [
        StackRecord(
            id=StackId(row["id"]),
            name="st",
            tenant="tenant",
            raw_template_id=TemplateId(row["raw_template_id"]),
            prev_raw_template_id=row["prev_raw_template_id"],
            action=Action(row["action"]),
            status=Status(row["status"]),
            status_reason=row["status_reason"],
            current_traversal=TraversalId(row["current_traversal"]),
            current_deps=json.loads(row["current_deps"] or "null"),
        )
        for row in state["stack"].values()
    ]


def sync_point_records(state: Tables) -> list[SyncPointRecord]:
    """The rows of `sync_point`."""
    return [
        SyncPointRecord(
            entity_id=row["entity_id"],
            traversal_id=TraversalId(row["traversal_id"]),
            is_update=bool(row["is_update"]),
            stack_id=StackId("stack"),
            atomic_key=row["atomic_key"],
            input_data=json.loads(row["input_data"]),
            extra_data=json.loads(row["extra_data"]),
        )
        for row in state["sync_point"].values()
    ]


@dataclass(frozen=True, slots=True)
class Preparation:
    """A traversal whose graph was stored: what was there before, and what came of it."""

    scenario: str
    stack: StackRecord
    existing: tuple[ResourceRecord, ...]
    rows: tuple[ResourceRecord, ...]
    snapshots: tuple[str, ...]


def preparations(recorded: Recorded) -> Iterator[Preparation]:
    """Every traversal of a scenario whose graph appears among its states."""
    first, before = recorded.states[0], recorded.states[0]
    for state in recorded.states:
        for old, new in zip(stack_records(before), stack_records(state), strict=True):
            if new.current_traversal != old.current_traversal:
                first = before  # the last state in which the new traversal had done nothing
            if new.current_deps != old.current_deps and new.current_deps is not None:
                yield Preparation(
                    recorded.name,
                    new,
                    tuple(resource_records(first)),
                    tuple(resource_records(state)),
                    tuple(state.get("snapshot", {})),
                )
        before = state
