"""What must be true at the end: every resource of the template as it should be, and nothing else.

The expected values come from the stored template by a few lines of their own (references, joins,
parameters), not by the production's template code.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from heat_core.stack import HeatIdentifier
from heat_core.stack.ids import StackId, TemplateId
from heat_core.stack.records import ResourceRecord, TemplateRecord
from heat_io.database import resources, templates
from tests.simulation.engines import TENANT
from tests.simulation.generated import TYPED
from tests.simulation.invariants import Violated
from tests.simulation.ledger import StackRow
from tests.simulation.user import User
from tests.simulation.world import World

FILES = {TYPED: "pair.yaml"}
EXCUSES = (
    "refused",
    "lost_answer",
    "unreadable",
    "credentials",
    "clock_jump",
    "vanished",
    "lost_message",
    "kill",
    "cut_off",
)
"""misfortunes after which an operation may end FAILED though its template is good

A killed engine fails resources where nothing is taken over from it, and calls that it was about to
answer; the others go unnoticed.
"""


class Ends:
    """Looks at everything once all is quiet."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._ledger = world.ledger
        self._connection = world.storage.connection
        self._checked = False

    def check(self, users: list[User]) -> None:
        self._checked = any(user.checked for user in users)
        for user in users:
            row = user.row
            if row is not None:
                self._ended_as_it_must(user, row)
        for stack in self._ledger.live():
            self._owned(stack)
            if stack.owner_id is None and stack.status == "COMPLETE" and stack.action != "CHECK":
                self._tree(stack, {})
        self._cloud()

    # --- how it ended ----------------------------------------------------------------------

    def _ended_as_it_must(self, user: User, row: StackRow) -> None:
        document = user.documents.get(row.raw_template_id, {})
        fails = document.get("fails", "no")
        if row.status == "COMPLETE":
            if fails == "yes" and row.action in ("CREATE", "UPDATE"):
                raise Violated(f"end: {row.name} is {row.action} COMPLETE and must have failed")
            return
        faults = self._world.counts.faults
        excused = any(faults[name] for name in EXCUSES)
        asked = user.cancelled or user.timeout_minutes is not None or user.marked
        if fails == "no" and not excused and not asked:
            raise Violated(f"end: {row.name} is {row.action} FAILED: {row.status_reason}")

    # --- the tree --------------------------------------------------------------------------

    def _tree(self, stack: StackRow, parameters: Mapping[str, Any]) -> None:
        """Each resource of the template is there, with the properties that it should have."""
        self._world.counts.ends += 1
        template = templates.fetch(self._connection, TemplateId(stack.raw_template_id))
        if template is None:
            raise Violated(f"end: {stack.name} has lost its template")
        wanted: dict[str, Any] = dict(template.template.get("resources") or {})
        rows = self._rows(stack)
        if set(rows) != set(wanted):
            raise Violated(f"end: {stack.name} has {sorted(rows)}, not {sorted(wanted)}")
        reader = _Reader(rows, wanted, parameters, self._ledger.stacks)
        for name, definition in wanted.items():
            self._resource(stack, rows[name], definition, reader, template)

    def _rows(self, stack: StackRow) -> dict[str, ResourceRecord]:
        """The rows that stand for the resources."""
        found = resources.fetch_by_stack(
            self._connection, StackId(stack.id), with_properties=True, with_data=True
        )
        kept = {}
        for row in found:
            seen = self._ledger.resources[row.id]
            if not seen.is_gone and not self._world.invariants.is_left_behind(stack, seen):
                kept[row.name] = row
        return kept

    def _resource(
        self,
        stack: StackRow,
        row: ResourceRecord,
        definition: Mapping[str, Any],
        reader: _Reader,
        template: TemplateRecord,
    ) -> None:
        kind = definition["type"]
        expected = {
            key: value if key == "resource_def" else reader.value(value)
            for key, value in (definition.get("properties") or {}).items()
        }
        where = f"end: {row.name} of {stack.name}"
        found = dict(row.properties or {})
        found.pop("resource_def", None)
        if found != {key: value for key, value in expected.items() if key != "resource_def"}:
            raise Violated(f"{where} has properties {found}, not {expected}")
        if kind == "OS::Keystone::Project":
            project = self._world.cloud.projects.get(row.physical_id or "")
            checked = row.physical_id is None and self._checked
            if project is None and not checked and not self._world.counts.faults["vanished"]:
                raise Violated(f"{where} has no project")
            if project is not None and project["description"] != expected.get("description", ""):
                raise Violated(f"{where} is described as {project['description']!r}")
        elif kind == "OS::Heat::TestResource":
            if row.data.get("value") != expected.get("value", "test_string"):
                raise Violated(f"{where} keeps {row.data}, not {expected}")
        elif kind == "OS::Heat::RandomString":
            if len(row.data.get("value", "")) != expected.get("length", 32):
                raise Violated(f"{where} is {row.data}")
        else:
            self._child(stack, row, kind, expected, template, where)

    def _child(
        self,
        stack: StackRow,
        row: ResourceRecord,
        kind: str,
        expected: Mapping[str, Any],
        template: TemplateRecord,
        where: str,
    ) -> None:
        child = self._ledger.stacks.get(row.physical_id or "")
        if child is None or child.deleted_at is not None or child.owner_id != stack.id:
            raise Violated(f"{where} has no nested stack")
        if child.status != "COMPLETE":
            raise Violated(f"{where} is complete, its stack is {child.action} {child.status}")
        document = self._ledger.documents(child.raw_template_id)
        parameters: dict[str, Any] = {}
        if kind == "OS::Heat::ResourceGroup":
            names = {str(index) for index in range(expected["count"])}
            if set(document.get("resources") or ()) != names:
                raise Violated(f"{where} has members {sorted(document['resources'])}")
        else:
            files = templates.fetch_files(self._connection, template)
            if document != json.loads(files[FILES.get(kind, kind)]):
                raise Violated(f"{where} is of another template")
            if "word" in expected:
                parameters = {"word": expected["word"]}
        self._tree(child, parameters)

    # --- nothing else ----------------------------------------------------------------------

    def _owned(self, stack: StackRow) -> None:
        """Nothing is locked or half done, and a nested stack has an owner that knows it."""
        if self._world.invariants.unfinished(stack.id):
            raise Violated(f"end: {stack.name} is not at its end")
        if stack.owner_id is None or self._may_be_lost:
            return
        owners = self._ledger.rows(stack.owner_id).values()
        if not any(row.nova_instance == stack.id and not row.is_gone for row in owners):
            raise Violated(f"end: no row knows the nested stack {stack.name}")

    @property
    def _may_be_lost(self) -> bool:
        """Whether what a dead engine made may stay unknown: nothing looks for it."""
        return not (self._world.takes_over and self._world.can_find)

    def _cloud(self) -> None:
        rows = self._ledger.resources.values()
        known = Counter(
            row.nova_instance
            for row in rows
            if row.nova_instance in self._world.cloud.projects and not row.is_gone
        )
        twice = [name for name, times in known.items() if times > 1]
        if twice:
            raise Violated(f"end: two rows have one project: {twice}")
        stray = self._world.cloud.projects.keys() - known.keys()
        if stray and not self._may_be_lost:
            names = sorted(self._world.cloud.projects[one]["name"] for one in stray)
            raise Violated(f"11: projects that no row knows: {names}")


class _Reader:
    """Resolves the few functions that the generated templates use."""

    def __init__(
        self,
        rows: Mapping[str, ResourceRecord],
        wanted: Mapping[str, Any],
        parameters: Mapping[str, Any],
        stacks: Mapping[str, StackRow],
    ) -> None:
        self._stacks = stacks
        self._rows = rows
        self._wanted = wanted
        self._parameters = parameters

    def value(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [self.value(one) for one in tree]
        if not isinstance(tree, dict):
            return tree
        if len(tree) == 1:
            ((name, argument),) = tree.items()
            match name:
                case "get_resource":
                    return self._reference(argument)
                case "get_attr":
                    return self._rows[argument[0]].data.get("value")
                case "get_param":
                    return self._parameters[argument]
                case "list_join":
                    return argument[0].join(str(self.value(one)) for one in argument[1])
        return {key: self.value(one) for key, one in tree.items()}

    def _reference(self, name: str) -> Any:
        row, kind = self._rows[name], self._wanted[name]["type"]
        if kind == "OS::Heat::RandomString":
            return row.data.get("value")
        if kind.endswith(".yaml") or kind == TYPED:
            child = self._stacks[row.physical_id or ""]
            return HeatIdentifier(TENANT, child.name, StackId(child.id)).arn()
        return row.physical_id or row.name
