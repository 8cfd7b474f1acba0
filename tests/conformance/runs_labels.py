"""States with names in the place of ids, so that two databases can be compared.

A row is known by its name and its generation (the how-manieth row of that name its stack has had),
a template by its number among its stack's templates, a traversal by its number among those of a
scenario. SQLite gives ids of removed rows to new ones: an id that was gone is a new row.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heat_core.convergence.node import node_from_key
from tests.recorded_states import Tables

type Columns = dict[str, Any]
type RowLabel = str
"""such as "b" for the first row of that name, "b'" for the one that came after it"""

_PLACEHOLDER = re.compile(
    r"<(?:shortid|stack|uuid|snapshot)\d*>|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"
)
_SHORT_ID = re.compile(r"(?<=-)[a-z2-7]{12}\b")


def plain(text: str | None) -> str | None:
    """A text without the ids in it."""
    return None if text is None else _SHORT_ID.sub("*", _PLACEHOLDER.sub("*", text))


@dataclass
class Labels:
    """Names the rows and templates of one stack; sees every state, in order."""

    stack_id: str
    rows: dict[str, RowLabel] = field(default_factory=dict)
    templates: dict[str, int] = field(default_factory=dict)
    _generations: Counter[str] = field(default_factory=Counter)
    _template_count: int = 0
    _present: frozenset[str] = frozenset()
    _stored_templates: frozenset[str] = frozenset()

    def mine(self, state: Tables) -> dict[str, Columns]:
        """The stack's rows in a state; the recording has no others."""
        return {
            key: row
            for key, row in state["resource"].items()
            if row.get("stack_id", self.stack_id) == self.stack_id
        }

    def see(self, state: Tables) -> None:
        """Take note of what is new in a state."""
        stored = frozenset(state.get("raw_template", {}))
        for gone in self._stored_templates - stored:
            self.templates.pop(gone, None)
        self._stored_templates = stored
        stack = state["stack"].get(self.stack_id)
        if stack is not None:
            for column in ("prev_raw_template_id", "raw_template_id"):
                self._see_template(stack[column])
        mine = self.mine(state)
        for key in sorted(mine.keys() - self._present, key=int):
            name = mine[key]["name"]
            self.rows[key] = name + "'" * self._generations[name]
            self._generations[name] += 1
        self._present = frozenset(mine)

    def _see_template(self, template_id: int | None) -> None:
        if template_id is not None and str(template_id) not in self.templates:
            self._template_count += 1
            self.templates[str(template_id)] = self._template_count

    def row(self, row_id: Any) -> str | None:
        return None if row_id is None else self.rows.get(str(row_id), f"?{row_id}")

    def template(self, template_id: Any) -> int | None:
        return None if template_id is None else self.templates.get(str(template_id), -1)

    def node(self, stored: Sequence[Any]) -> str:
        node_id, is_update = stored[0], stored[1]
        if len(stored) > 2 and stored[2] != "resource":
            return f"{stored[2]}-"
        return f"{self.row(node_id)}{'+' if is_update else '-'}"

    def key(self, key: str) -> str:
        """The name of a node that reported under this key."""
        return self.node(node_from_key(key))


@dataclass(frozen=True, slots=True)
class View:
    """One stack in one state: the columns by name, rows by label, sync points by node.

    Of a sync point: the entries by the label of who left them.
    """

    stack: Columns | None
    rows: Mapping[RowLabel, Columns]
    points: Mapping[str, Columns]


def view(state: Tables, labels: Labels, *, dead_ids: bool) -> View:
    """The stack in a state. Without `dead_ids` rows that are gone are not mentioned."""
    stack_id = labels.stack_id
    stored = state["stack"].get(stack_id)
    mine = labels.mine(state)

    def reference(row_id: Any) -> str | None:
        return labels.row(row_id) if dead_ids or str(row_id) in mine else None

    rows = {labels.rows[key]: _row(row, labels, reference) for key, row in mine.items()}
    points: dict[str, Columns] = {}
    traversal = None if stored is None else stored["current_traversal"]
    for point in state["sync_point"].values():
        if point.get("stack_id", stack_id) == stack_id and point["traversal_id"] == traversal:
            name, columns = _point(point, labels, stack_id)
            points[name] = columns
    return View(None if stored is None else _stack(stored, labels), rows, points)


def _stack(row: Mapping[str, Any], labels: Labels) -> Columns:
    deps = json.loads(row["current_deps"] or "null")
    return {
        "action": row["action"],
        "status": row["status"],
        "status_reason": plain(row["status_reason"]),
        "raw_template_id": labels.template(row["raw_template_id"]),
        "prev_raw_template_id": labels.template(row["prev_raw_template_id"]),
        "current_traversal": row["current_traversal"],
        "current_deps": None if deps is None else edges(deps, labels),
        "convergence": int(row["convergence"]),
        "has_updated_at": row["has_updated_at"],
        "is_deleted": row["deleted_at"] is not None,
    }


type Edge = tuple[str, str | None]


def edges(deps: Mapping[str, Any], labels: Labels) -> frozenset[Edge]:
    """The edges of a stored graph, snapshots left out."""
    found = (
        (labels.node(one), None if other is None else labels.node(other))
        for one, other in deps["edges"]
    )
    return frozenset(edge for edge in found if not edge[0].startswith("snapshot"))


def _row(row: Mapping[str, Any], labels: Labels, reference: Any) -> Columns:
    requires = [reference(needed) for needed in json.loads(row["requires"])]
    return {
        "action": row["action"],
        "status": row["status"],
        "status_reason": plain(row["status_reason"]),
        "locked": row["engine_id"] is not None,
        "atomic_key": row["atomic_key"],
        "current_template_id": labels.template(row["current_template_id"]),
        "replaces": reference(row["replaces"]),
        "replaced_by": reference(row["replaced_by"]),
        "requires": frozenset(needed for needed in requires if needed is not None),
        "needed_by": row["needed_by"],
        "physical_id": plain(row["nova_instance"]),
        "metadata": row["rsrc_metadata"],
        "has_props": row["has_props"],
        "has_attrs": row["has_attrs"],
        "has_root": row["root_stack_id"] is not None,
    }


def _point(point: Mapping[str, Any], labels: Labels, stack_id: str) -> tuple[str, Columns]:
    entries = json.loads(point["input_data"]).get("input_data", {})
    is_update = bool(point["is_update"])
    if point["entity_id"] == stack_id:
        name = "stack"
    elif point["entity_id"].isdigit():
        name = labels.node((int(point["entity_id"]), is_update))
    else:
        name = "snapshot-"
    extra = json.loads(point["extra_data"] or "null")
    inner = {} if extra is None else dict(extra.get("extra_data", {}))
    inner.pop("heat_trio", None)
    return name, {
        "entries": {labels.key(key): _entry(value, labels) for key, value in entries.items()},
        "extra_data": inner,
        "atomic_key": point["atomic_key"],
    }


def _entry(value: Any, labels: Labels) -> Any:
    if isinstance(value, int):
        return labels.row(value)
    if not isinstance(value, Mapping):
        return value
    plain_value = {
        "id": labels.row(value["id"]),
        "reference_id": plain(value["reference_id"]),
        "uuid": "*",
    }
    # A list: the keys' order counts.
    return [(key, plain_value.get(key, value[key])) for key in value]


def events_of(events: Iterable[Mapping[str, Any]]) -> dict[str, list[tuple[Any, ...]]]:
    """By resource name, in order: (action, status, reason, physical id, type)."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for event in events:
        found.setdefault(str(plain(event["resource_name"])), []).append(
            (
                event["resource_action"],
                event["resource_status"],
                plain(event["resource_status_reason"]),
                plain(event["physical_resource_id"]),
                event["resource_type"],
            )
        )
    return found


def cast_of(cast: Mapping[str, Any], labels: Labels) -> str:
    """One message to a worker, in one line."""
    arguments = cast["args"]
    if cast["method"] != "check_resource":
        return str(cast["method"])
    data = arguments["data"]["input_data"]
    # The recording has sorted the keys of messages.
    entries = sorted(
        f"{labels.key(key)}={sorted(entry) if isinstance(entry, list) else entry}"
        for key, entry in ((key, _entry(value, labels)) for key, value in data.items())
    )
    flags = {
        key: arguments.get(key)
        for key in ("skip_propagate", "accumulated_failures", "converge", "abandon")
        if arguments.get(key)
    }
    node = labels.node((arguments["resource_id"], arguments["is_update"]))
    return f"{node} {' '.join(entries)} {flags or ''}".strip()
