"""What must hold after every step (DESIGN: what must hold).

Each committed transaction is looked at as a list of rows before and after, by the engine that wrote
them. The numbers in the names of the checks are those of the invariants that they are about.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.simulation.ledger import Change, PointRow, ResourceRow, StackRow

CLOCKS_SECONDS = 400
"""how far a claim may come after a deadline: a slow evaluation, a late message, a wrong clock"""
NODE_DATA_KEYS = {"id", "name", "uuid", "reference_id", "attrs", "action", "status"}
LOCK_FREE = {"replaces", "replaced_by", "requires"}
"""columns that may change under somebody else's lock: they say how rows belong together"""


class Violated(AssertionError):
    """An invariant does not hold."""


type NodeKey = tuple[int, bool]


@dataclass
class Plan:
    """The stored graph of a traversal, read by other code than the production's."""

    requires: dict[NodeKey, set[NodeKey]] = field(default_factory=dict)
    required_by: dict[NodeKey, set[NodeKey]] = field(default_factory=dict)

    @classmethod
    def of(cls, stored: str | None) -> Plan:
        plan = cls()
        edges = (json.loads(stored or "null") or {}).get("edges", ())
        for requirer, required in edges:
            one = (requirer[0], requirer[1])
            plan.requires.setdefault(one, set())
            plan.required_by.setdefault(one, set())
            if required is not None:
                other = (required[0], required[1])
                plan.requires.setdefault(other, set())
                plan.required_by.setdefault(other, set()).add(one)
                plan.requires[one].add(other)
        return plan

    @property
    def roots(self) -> set[NodeKey]:
        return {node for node, waiting in self.required_by.items() if not waiting}


def text_of(node: NodeKey) -> str:
    return f"tuple:({node[0]}, {node[1]}, 'resource')"


class Invariants:
    """Checks of each commit; `world` is the deployment that they are about."""

    def __init__(self, world: Any) -> None:
        self._world = world
        self._ledger = world.ledger
        self._plans: dict[str, tuple[str, Plan]] = {}
        """by stack: the traversal that was prepared, and its graph"""
        self._replaced: dict[tuple[str, int], int] = {}
        """by traversal and replaced row: the replacement that was made in it"""
        self.woken: set[tuple[str, int, bool]] = set()
        """by traversal and node: what was asked for once more because somebody had held it"""

    # --- after every transaction -----------------------------------------------------------

    def check(self, actor: str | None, changes: list[Change]) -> None:
        """Raise Violated when this transaction should not have been."""
        prepared: set[str] = set()
        switched: set[str] = set()
        for change in changes:
            if change.table == "stack" and change.old is not None and change.new is not None:
                if change.old.current_traversal != change.new.current_traversal:
                    switched.add(change.new.id)
                if change.old.current_deps != change.new.current_deps:
                    prepared.add(change.new.id)
        inserted = {
            change.new.stack_id
            for change in changes
            if change.table == "sync_point" and change.old is None and change.new is not None
        }
        for change in changes:
            if change.table == "stack" and change.old is not None and change.new is not None:
                self._stack(change.old, change.new, changes)
        for stack_id in prepared | {one for one in inserted if one not in switched}:
            self._prepared(stack_id, changes)
        for change in changes:
            if change.table == "resource":
                self._resource(actor, change.old, change.new)
            elif change.table == "sync_point":
                self._point(change.old, change.new, prepared, switched)

    # --- 1, 9: the stack's row -------------------------------------------------------------

    def _stack(self, old: StackRow, new: StackRow, changes: list[Change]) -> None:
        ledger = self._ledger
        if old.deleted_at is not None:
            raise Violated(f"1: {new.name} changes after it was deleted")
        if new.deleted_at is not None:
            if (new.action, new.status) != ("DELETE", "COMPLETE"):
                raise Violated(f"9: {new.name} is gone in state {new.action} {new.status}")
            if ledger.rows(new.id) or ledger.points_under(new.id):
                raise Violated(f"9: {new.name} is gone before what is its own")
        if old.current_traversal != new.current_traversal:
            self._moved_on(old, new)
            return
        if (old.action, old.status) == (new.action, new.status):
            return
        if old.status != "IN_PROGRESS" or old.action != new.action:
            raise Violated(
                f"1: {new.name} went from {old.action} {old.status} to {new.action} {new.status} "
                "in one traversal"
            )
        if new.status == "COMPLETE":
            self._completed(new)
        elif not new.status_reason:
            raise Violated(f"9: {new.name} failed without a reason")

    def _moved_on(self, old: StackRow, new: StackRow) -> None:
        world = self._world
        for point in self._ledger.points_under(new.id).values():
            if point.traversal_id != new.current_traversal:
                raise Violated(f"5: a sync point of a traversal that {new.name} has left is there")
        ended = not new.current_traversal
        if ended and (old.status, new.status) != ("FAILED", "FAILED"):
            raise Violated(f"9: {new.name} gave its traversal up in {old.action} {old.status}")
        begun = old.action == new.action == "CREATE"
        if old.in_progress and not begun and old.owner_id is None:
            world.counts.supersedes += 1
        if not new.in_progress:
            return
        if (new.id, new.current_traversal, True) not in self._ledger.points:
            raise Violated(f"5: {new.name} began {new.action} without its sync point")
        if new.action == "ROLLBACK":
            self._rolls_back(old, new)
        elif new.action == "UPDATE" and new.prev_raw_template_id != old.raw_template_id:
            raise Violated(f"9: {new.name} forgot the template before its update")

    def _rolls_back(self, old: StackRow, new: StackRow) -> None:
        if old.prev_raw_template_id is not None:
            if new.raw_template_id != old.prev_raw_template_id:
                raise Violated(f"9: {new.name} does not go back to its template before")
        elif self._ledger.documents(new.raw_template_id).get("resources"):
            raise Violated(f"9: {new.name} goes back to a template that it never had")

    def _completed(self, stack: StackRow) -> None:
        """All roots have arrived, and the rows are what the template wants."""
        plan = self._plan(stack)
        if plan is None:
            raise Violated(f"1: {stack.name} completed a traversal that was not prepared")
        point = self._ledger.points.get((stack.id, stack.current_traversal, True))
        arrived = {} if point is None else point.entries
        missing = [node for node in plan.roots if text_of(node) not in arrived]
        if missing:
            raise Violated(f"5: {stack.name} completed {stack.action} before {missing}")
        if stack.action == "CHECK":
            return
        wanted = self._names(stack)
        there: dict[str, int] = {}
        for row in self._ledger.rows(stack.id).values():
            if row.is_gone or self.is_left_behind(stack, row):
                continue
            if row.name not in wanted:
                raise Violated(f"9: {stack.name} completed {stack.action}, {row.name} is there")
            if row.current_template_id != stack.raw_template_id or row.status != "COMPLETE":
                raise Violated(f"9: {stack.name} completed, {row.name} is {row.state}")
            there[row.name] = there.get(row.name, 0) + 1
        if there != dict.fromkeys(wanted, 1):
            raise Violated(f"9: {stack.name} completed with {there}, not {sorted(wanted)}")

    def is_left_behind(self, stack: StackRow, row: ResourceRow) -> bool:
        """Whether Heat too leaves this row, which is not the resource any more, to later.

        A clean-up removes rows that are not of the stack's template (rules/i-convergence.md#14).
        One that is of it stays although another was chosen or made in its place: in a rollback,
        back to the template that it is of, and where its create for this very template failed.
        """
        if row.current_template_id != stack.raw_template_id:
            return False
        in_another_place = stack.action == "ROLLBACK" or row.replaced_by is not None
        return in_another_place and any(
            other.id > row.id
            and (other.name, other.status) == (row.name, "COMPLETE")
            and not other.is_gone
            and other.current_template_id == stack.raw_template_id
            for other in self._ledger.rows(stack.id).values()
        )

    def _names(self, stack: StackRow) -> set[str]:
        return set(self._ledger.documents(stack.raw_template_id).get("resources") or ())

    # --- 2, 3: the graph -------------------------------------------------------------------

    def _plan(self, stack: StackRow) -> Plan | None:
        found = self._plans.get(stack.id)
        return found[1] if found is not None and found[0] == stack.current_traversal else None

    def _prepared(self, stack_id: str, changes: list[Change]) -> None:
        """Rows were chosen and inserted, the graph and all sync points stored, in one go."""
        stack: StackRow = self._ledger.stacks[stack_id]
        plan = Plan.of(stack.current_deps)
        known = self._plans.get(stack_id)
        if known is not None and known[0] == stack.current_traversal:
            raise Violated(f"5: sync points of {stack.name} came back, or were made twice")
        self._plans[stack_id] = (stack.current_traversal or "", plan)
        points = self._ledger.points_under(stack_id)
        for node in plan.requires:
            if (str(node[0]), stack.current_traversal, node[1]) not in points:
                raise Violated(f"5: {node} of {stack.name} has no sync point")
        if len(points) != len(plan.requires) + 1:
            raise Violated(f"5: {stack.name} has sync points that no node of its graph has")
        new = {
            change.new.id
            for change in changes
            if change.table == "resource" and change.old is None and change.new is not None
        }
        self._graph_is_as_it_must_be(stack, plan, new)

    def _graph_is_as_it_must_be(self, stack: StackRow, plan: Plan, new: set[int]) -> None:
        rows = self._ledger.rows(stack.id)
        before = {row.id: row for row in rows.values() if row.id not in new and not row.is_gone}
        chosen = {rows[node[0]].name: rows[node[0]] for node in plan.requires if node[1]}
        if set(chosen) != self._names(stack) or len(chosen) != sum(n[1] for n in plan.requires):
            raise Violated(f"2: {stack.name} visits {sorted(chosen)}")
        if {node[0] for node in plan.requires if not node[1]} != set(before):
            raise Violated(f"2: {stack.name} does not clean up just what was there")
        needed: list[tuple[NodeKey, NodeKey]] = []
        for row in before.values():
            if (row.id, True) in plan.requires:
                needed.append(((row.id, False), (row.id, True)))
            if row.replaces in before:
                needed.append(((row.replaces, False), (row.id, False)))
            for other in json.loads(row.requires or "null") or ():
                if other in before:
                    needed.append(((other, False), (row.id, False)))
        for node, other in needed:
            if other not in plan.requires[node]:
                raise Violated(f"2: {node} of {stack.name} does not wait for {other}")
        for name, row in chosen.items():
            rival = max(
                (_rank(one, stack) for one in before.values() if one.name == name), default=None
            )
            if rival is not None and (row.id in new or _rank(row, stack) < rival):
                raise Violated(f"3: another row of {stack.name} fits {name} better")

    # --- 4, 7, 8, 10, 11: rows and their locks ---------------------------------------------

    def _resource(
        self, actor: str | None, old: ResourceRow | None, new: ResourceRow | None
    ) -> None:
        if new is None:
            assert old is not None
            self._removed(old)
            return
        if old is None:
            self._inserted(new)
            return
        held_by = old.engine_id
        if held_by is not None and held_by != actor:
            changed = {name for name in old._fields if getattr(old, name) != getattr(new, name)}
            free = changed <= LOCK_FREE
            if self._world.is_trusted(held_by) and not free:
                raise Violated(f"8: {old.name} changed ({sorted(changed)}) under a living lock")
        if new.engine_id is not None and new.engine_id not in (held_by, actor):
            raise Violated(f"4: {new.name} is locked for somebody else")
        stated = (old.engine_id, old.state) != (new.engine_id, new.state)
        went_down = held_by is not None and held_by != actor and new.engine_id is None
        if stated and not went_down and new.atomic_key != (old.atomic_key or 0) + 1:
            raise Violated(f"4: {new.name} changed its state without a bump of its key")
        if new.engine_id is not None and new.action == "INIT" and new.status == "IN_PROGRESS":
            raise Violated(f"4: {new.name} is locked without an action")
        if held_by is None and new.engine_id is not None:
            self._claimed(new)
        if old.nova_instance != new.nova_instance:
            self._physical_id(actor, old, new)

    def _claimed(self, row: ResourceRow) -> None:
        """Only for the current traversal; one that has failed a moment ago keeps its id."""
        stack: StackRow = self._ledger.stacks[row.stack_id]
        plan = self._plan(stack)
        if plan is None or stack.status == "COMPLETE":
            raise Violated(f"1: {row.name} is claimed while {stack.name} has nothing to do")
        points = self._ledger.points
        for entity in self._stands_for(row):
            for is_update in (True, False):
                node = (entity, is_update)
                if node not in plan.requires:
                    continue
                point = points.get((str(entity), stack.current_traversal, is_update))
                here = {} if point is None else point.entries
                if all(text_of(other) in here for other in plan.requires[node]):
                    self._in_time(stack, row)
                    return
        raise Violated(f"5: {row.name} of {stack.name} is claimed before all that it waits for")

    def was_woken(self, traversal_id: str, row_id: int, is_update: bool) -> bool:
        """Whether the node, or the one that its row stands for, was asked for once more.

        Or one that it waits for: a visit that held its row reports to what has been told already.
        """
        row = self._ledger.resources.get(row_id)
        rows = [row_id] if row is None else self._stands_for(row)
        nodes = {(one, is_update) for one in rows}
        for stored_for, plan in self._plans.values():
            if stored_for == traversal_id:
                nodes |= {other for node in nodes for other in plan.requires.get(node, ())}
        return any((traversal_id, *node) in self.woken for node in nodes)

    def _stands_for(self, row: ResourceRow) -> list[int]:
        """The row and those that were replaced by it, one after the other."""
        found = [row.id]
        for entity in found:
            one = self._ledger.resources.get(entity)
            replaced = [] if one is None or one.replaces is None else [one.replaces]
            rows = self._ledger.rows(row.stack_id).values()
            replaced += [other.id for other in rows if other.replaced_by == entity]
            found += [other for other in replaced if other not in found]
        return found

    def _in_time(self, stack: StackRow, row: ResourceRow) -> None:
        began = stack.updated_at or stack.created_at
        if stack.timeout is None or began is None:
            return
        deadline = datetime.fromisoformat(began) + timedelta(minutes=stack.timeout)
        if self._world.now() > deadline + timedelta(seconds=CLOCKS_SECONDS):
            raise Violated(f"10: {row.name} of {stack.name} is claimed after the deadline")

    def _physical_id(self, actor: str | None, old: ResourceRow, new: ResourceRow) -> None:
        if actor is not None and actor not in (old.engine_id, new.engine_id):
            raise Violated(f"4: the physical id of {new.name} is written without its lock")
        if old.nova_instance in self._world.cloud.projects:
            raise Violated(f"11: the physical id of {new.name} is lost")

    def _inserted(self, row: ResourceRow) -> None:
        if row.replaces is None:
            return
        stack: StackRow = self._ledger.stacks[row.stack_id]
        replaced = self._ledger.resources.get(row.replaces)
        if replaced is None or replaced.replaced_by != row.id:
            raise Violated(f"7: {row.name} replaces a row that does not say so")
        plan = self._plan(stack)
        if plan is None or stack.status == "COMPLETE":
            raise Violated(f"7: {row.name} is replaced while {stack.name} has nothing to do")
        if row.current_template_id != stack.raw_template_id:
            raise Violated(f"7: {row.name} is replaced for a template that {stack.name} has left")
        known = (stack.current_traversal or "", replaced.id)
        if known in self._replaced:
            raise Violated(f"7: {row.name} is replaced twice in one traversal")
        self._replaced[known] = row.id

    def _removed(self, row: ResourceRow) -> None:
        if row.engine_id is not None and self._world.is_trusted(row.engine_id):
            raise Violated(f"4: {row.name} is removed under a living lock")
        if row.nova_instance in self._world.cloud.projects:
            raise Violated(f"11: {row.name} is removed, its object is there")
        if row.action not in ("INIT", "DELETE"):
            raise Violated(f"4: {row.name} is removed in state {row.state}")

    # --- 5, 6: sync points -----------------------------------------------------------------

    def _point(
        self,
        old: PointRow | None,
        new: PointRow | None,
        prepared: set[str],
        switched: set[str],
    ) -> None:
        if new is None:
            return
        stack: StackRow = self._ledger.stacks[new.stack_id]
        if old is None:
            if new.traversal_id != stack.current_traversal or not stack.in_progress:
                raise Violated(f"5: a sync point of {stack.name} is made for no traversal")
            return
        if new.atomic_key != old.atomic_key + 1:
            raise Violated(f"5: a sync point of {stack.name} is written without a bump of its key")
        before, after = old.entries, new.entries
        if not before.keys() <= after.keys():
            raise Violated(f"5: a sync point lost entries: {sorted(before.keys() - after.keys())}")
        for key in after.keys() - before.keys():
            self._arrived(stack, new, key, after[key])

    def _arrived(self, stack: StackRow, point: PointRow, key: str, value: Any) -> None:
        plan = self._plan(stack)
        if plan is None or point.traversal_id != stack.current_traversal:
            raise Violated(f"1: {key} reports to a traversal that {stack.name} has left")
        sender = _node(key)
        if point.entity_id == stack.id:
            waits_for = plan.roots
        else:
            receiver = (int(point.entity_id), bool(point.is_update))
            if sender == receiver:  # a wake-up
                self.woken.add((point.traversal_id, *sender))
                return
            waits_for = plan.requires[receiver]
        if sender not in waits_for:
            raise Violated(f"5: {key} reports to {point.entity_id}, which does not wait for it")
        own = self._ledger.points.get((str(sender[0]), stack.current_traversal, sender[1]))
        here = {} if own is None else own.entries
        missing = [other for other in plan.requires[sender] if text_of(other) not in here]
        if missing:
            raise Violated(f"5: {key} reports before {missing}")
        if stack.action != "CHECK":
            self._is_done(stack, sender, key)
        if isinstance(value, dict):
            self._data_is_whole(stack, key, value)

    def _is_done(self, stack: StackRow, sender: NodeKey, key: str) -> None:
        row = self._ledger.resources.get(sender[0])
        if sender[1]:
            made = row
            while made is not None and made.current_template_id != stack.raw_template_id:
                made = self._ledger.resources.get(made.replaced_by)
            done = made is not None
        else:
            done = row is None or row.is_gone or row.current_template_id == stack.raw_template_id
        if not done:
            raise Violated(f"5: {key} of {stack.name} reports, and is not done")

    def _data_is_whole(self, stack: StackRow, key: str, value: dict[str, Any]) -> None:
        if set(value) != NODE_DATA_KEYS:
            raise Violated(f"6: {key} reports {sorted(value)}")
        row = self._ledger.resources.get(value["id"])
        if row is None or (row.name, row.uuid) != (value["name"], value["uuid"]):
            raise Violated(f"6: {key} of {stack.name} reports a row that is not there")

    # --- liveness --------------------------------------------------------------------------

    def unfinished(self, stack_id: str) -> bool:
        """Whether something of the stack's last traversal is still to be done."""
        stack = self._ledger.stacks.get(stack_id)
        if stack is None or stack.deleted_at is not None:
            return False
        return (
            stack.in_progress
            or bool(self._ledger.points_under(stack_id))
            or (stack.action, stack.status) == ("DELETE", "COMPLETE")
            or any(row.engine_id is not None for row in self._ledger.rows(stack_id).values())
        )


def _rank(row: ResourceRow, stack: StackRow) -> tuple[int, str, int]:
    """How well a row fits, by Heat's score (rules/h-updates.md#2)."""
    points = -30 * (row.status == "FAILED") - 50 * (row.action == "DELETE")
    points -= row.replaced_by is not None
    if stack.prev_raw_template_id is not None:
        points += 5 * (row.current_template_id == stack.prev_raw_template_id)
    points += 10 * (row.current_template_id == stack.raw_template_id)
    return points, row.updated_at or row.created_at or "", row.id


def _node(key: str) -> NodeKey:
    text = key.removeprefix("tuple:(").removesuffix(", 'resource')")
    number, is_update = text.split(", ")
    return int(number), is_update == "True"
