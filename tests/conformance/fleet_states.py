"""What a database holds of some stacks, with names in the place of ids, times and chance.

A stack is known by the way to it from its root, a row by its name and its generation, a template
by what it says.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.conformance.fleet_bed import Rows
from tests.conformance.fleet_shapes import RANDOM_LENGTH

type Row = Mapping[str, Any]
type State = dict[str, Any]
"""everything about one stack: by name of the thing, what it is"""

_MASKS = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<hex>"),
    (re.compile(rf"\b[a-z]{{{RANDOM_LENGTH}}}\b"), "<random>"),
    (re.compile(r"(?<=-)[a-z2-7]{12}(?![a-z0-9])"), "<shortid>"),
)
UNCACHED = ("OS::Heat::TestResource", "OS::Heat::RandomString", "OS::Heat::None", "OS::Heat::Delay")
"""Types without attributes that Heat stores with the row. It bumps the row's key each time it does,
at reads too, and what it has stored is a cache: neither is compared where it may occur."""


def plain(value: Any) -> Any:
    """A text, or anything made of texts, without the ids in it."""
    if isinstance(value, str):
        for pattern, mask in _MASKS:
            value = pattern.sub(mask, value)
        return value
    if isinstance(value, Mapping):
        return {plain(key): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [plain(one) for one in value]
    return value


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows that belong to some trees of stacks."""

    stacks: Sequence[Row]
    resources: Sequence[Row]
    events: Sequence[Row]
    templates: Mapping[int, Row]
    files: Mapping[int, Row]
    values: Mapping[int, Row]
    data: Sequence[Row]
    tags: Sequence[Row]
    creds: Mapping[int, Row]


def read(rows: Rows, roots: Sequence[str]) -> Tables:
    """All that there is about the trees whose roots have these ids, deleted stacks too."""
    stacks = rows.query("SELECT * FROM stack WHERE id IN :ids", ids=list(roots))
    level = list(stacks)
    while level:
        above = [row["id"] for row in level]
        level = rows.query("SELECT * FROM stack WHERE owner_id IN :ids", ids=above)
        stacks.extend(level)
    ids = [row["id"] for row in stacks]

    def of_stacks(table: str) -> list[dict[str, Any]]:
        return rows.query(f"SELECT * FROM {table} WHERE stack_id IN :ids ORDER BY id", ids=ids)

    def by_id(table: str) -> dict[int, Row]:
        return {row["id"]: row for row in rows.query(f"SELECT * FROM {table}")}

    resources = of_stacks("resource")
    return Tables(
        stacks=stacks,
        resources=resources,
        events=of_stacks("event"),
        templates=by_id("raw_template"),
        files=by_id("raw_template_files"),
        values=by_id("resource_properties_data"),
        data=rows.query("SELECT * FROM resource_data ORDER BY resource_id, `key`"),
        tags=of_stacks("stack_tag"),
        creds=by_id("user_creds"),
    )


def normalised(tables: Tables) -> dict[str, State]:
    """By path of the stack: its state."""
    paths = _paths(tables)
    return {
        path: _State(tables, stack, paths).whole()
        for stack in tables.stacks
        for path in [paths[stack["id"]]]
    }


def _paths(tables: Tables) -> dict[str, str]:
    """By id of the stack: the names on the way to it; a later one of the same name has a mark."""
    paths: dict[str, str] = {}
    seen: Counter[str] = Counter()
    # Parents come first, and of a parent the oldest child.
    for stack in sorted(
        tables.stacks, key=lambda row: (row["nested_depth"], row["created_at"], row["name"])
    ):
        owner = stack["owner_id"]
        path = stack["name"]
        if owner is not None:
            path = f"{paths[owner]}/{stack['parent_resource_name']}"
        paths[stack["id"]] = path + "'" * seen[path]
        seen[path] += 1
    return paths


class _State:
    """One stack's rows, put into words."""

    def __init__(self, tables: Tables, stack: Row, paths: Mapping[str, str]) -> None:
        self._tables = tables
        self._stack = stack
        self._paths = paths
        self._rows = [row for row in tables.resources if row["stack_id"] == stack["id"]]
        generations: Counter[str] = Counter()
        self._labels: dict[int, str] = {}
        for row in self._rows:
            self._labels[row["id"]] = row["name"] + "'" * generations[row["name"]]
            generations[row["name"]] += 1

    def whole(self) -> State:
        state: State = {"stack": self._of_stack()}
        for row in self._rows:
            state[f"row {self._labels[row['id']]}"] = self._of_row(row)
        for name, told in self._events().items():
            state[f"events of {name}"] = told
        return state

    def _label(self, row_id: int | None) -> str | None:
        return None if row_id is None else self._labels.get(row_id, "gone")

    def _of_stack(self) -> dict[str, Any]:
        stack = self._stack
        same = (
            "action",
            "status",
            "timeout",
            "disable_rollback",
            "backup",
            "nested_depth",
            "convergence",
            "parent_resource_name",
            "username",
        )
        creds = self._tables.creds.get(stack["user_creds_id"])
        return {
            **{name: plain(stack[name]) for name in same},
            "name": plain(stack["name"]),
            "tenant": stack["tenant"],
            "status_reason": plain(stack["status_reason"]),
            "template": self._template(stack["raw_template_id"]),
            "prev_template": self._template(stack["prev_raw_template_id"]),
            "is_deleted": stack["deleted_at"] is not None,
            "has_updated_at": stack["updated_at"] is not None,
            "has_project": stack["stack_user_project_id"] is not None,
            "traversal": bool(stack["current_traversal"]),
            "graph": self._graph(stack["current_deps"]),
            "tags": sorted(
                row["tag"] for row in self._tables.tags if row["stack_id"] == stack["id"]
            ),
            "creds": None if creds is None else _creds(creds),
        }

    def _template(self, template_id: int | None) -> Any:
        if template_id is None:
            return None
        row = self._tables.templates.get(template_id)
        if row is None:
            return "gone"
        files = self._tables.files.get(row["files_id"])
        return {
            "template": _json(row["template"]),
            "environment": _json(row["environment"]),
            "legacy_files": _json(row["files"]),
            "files": None if files is None else _json(files["files"]),
        }

    def _graph(self, text: str | None) -> Any:
        deps = None if text is None else json.loads(text)
        if deps is None:
            return None

        def node(stored: Sequence[Any] | None) -> str:
            if stored is None:
                return ""
            return f"{self._label(stored[0])}{'+' if stored[1] else '-'}"

        return sorted(f"{node(one)}>{node(other)}" for one, other in deps["edges"])

    def _of_row(self, row: Row) -> dict[str, Any]:
        same = ("name", "action", "status", "engine_id", "properties_data")
        template_id = row["current_template_id"]
        current = {
            self._stack["raw_template_id"]: "the stack's",
            self._stack["prev_raw_template_id"]: "the previous",
            None: None,
        }
        return {
            **{name: row[name] for name in same},
            "status_reason": plain(row["status_reason"]),
            "physical_id": plain(row["nova_instance"]),
            "metadata": _json(row["rsrc_metadata"]),
            "needed_by": _json(row["needed_by"]),
            "requires": sorted(
                str(self._label(one)) for one in json.loads(row["requires"] or "[]")
            ),
            "replaces": self._label(row["replaces"]),
            "replaced_by": self._label(row["replaced_by"]),
            "current_template": current.get(template_id, "another"),
            "root": self._paths.get(row["root_stack_id"], row["root_stack_id"]),
            "has_updated_at": row["updated_at"] is not None,
            "properties": self._values(row["rsrc_prop_data_id"]),
            "atomic_key": row["atomic_key"] if self._type(row) in UNCACHED else "not compared",
            "data": [
                (one["key"], one["redact"], one["decrypt_method"], _data(one))
                for one in self._tables.data
                if one["resource_id"] == row["id"]
            ],
        }

    def _type(self, row: Row) -> str | None:
        told = [
            event["resource_type"]
            for event in self._tables.events
            if (event["stack_id"], event["resource_name"]) == (self._stack["id"], row["name"])
        ]
        return told[-1] if told else None

    def _values(self, row_id: int | None) -> Any:
        row = None if row_id is None else self._tables.values.get(row_id)
        return None if row is None else (_json(row["data"]), bool(row["encrypted"]))

    def _events(self) -> dict[str, list[tuple[Any, ...]]]:
        found: dict[str, list[tuple[Any, ...]]] = {}
        for event in self._tables.events:
            if event["stack_id"] != self._stack["id"]:
                continue
            found.setdefault(plain(event["resource_name"]), []).append(
                (
                    event["resource_action"],
                    event["resource_status"],
                    plain(event["resource_status_reason"]),
                    plain(event["physical_resource_id"]),
                    event["resource_type"],
                    self._values(event["rsrc_prop_data_id"]),
                )
            )
        return found


def _creds(row: Row) -> dict[str, Any]:
    secrets = ("trust_id", "password", "decrypt_method")
    clear = ("username", "tenant", "tenant_id", "auth_url", "region_name", "trustor_user_id")
    return {name: row[name] for name in clear} | {name: row[name] is not None for name in secrets}


def _json(text: str | None) -> Any:
    return None if text is None else plain(json.loads(text))


def _data(row: Row) -> Any:
    return "secret" if row["redact"] else plain(row["value"])


def differences(theirs: Mapping[str, State], ours: Mapping[str, State]) -> Iterator[str]:
    """What is not the same in two sets of states, a line each."""
    for path in sorted(theirs.keys() | ours.keys()):
        if path not in theirs or path not in ours:
            yield f"{path}: {'not there' if path not in ours else 'there'}"
            continue
        left, right = theirs[path], ours[path]
        for name in sorted(left.keys() | right.keys()):
            yield from _different(f"{path}: {name}", left.get(name), right.get(name))


def _different(where: str, left: Any, right: Any) -> Iterator[str]:
    if left == right:
        return
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys(), key=str):
            yield from _different(f"{where}.{key}", left.get(key), right.get(key))
    else:
        yield f"{where}: {_short(left)} became {_short(right)}"


def _short(value: Any, limit: int = 400) -> str:
    text = str(value)
    return text if len(text) <= limit else f"{text[:limit]}..."
