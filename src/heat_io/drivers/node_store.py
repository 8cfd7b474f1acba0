"""The writes of one visit, each an item for the stack's write lane.

Every write is conditional on the row's lock, (engine_id, atomic_key); the state change and its
event are one item. Rules: rules/i-convergence.md#21.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from heat_core.convergence.evaluation import Plan, note_of_done
from heat_core.convergence.node_events import (
    ClaimNode,
    MakeReplacement,
    StoreOutcome,
    StoreRefused,
)
from heat_core.procedure import StoreCreated, StoreData
from heat_core.stack.events import resource_event
from heat_core.stack.ids import EngineId, ResourceId, StackId, TraversalId
from heat_core.stack.records import EventRecord, ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Applied,
    HeldId,
    HeldUpdate,
    Lost,
    Share,
    Write,
    events,
    properties_data,
    resource_data,
    resource_removal,
    resources,
    set_all_physical_ids,
    stacks,
    update_all_if,
)
from heat_io.drivers.node_rows import (
    Owed,
    as_written,
    drop_attributes,
    holds_as,
    matching,
    release_replacement,
    store_data,
    with_data,
    without_attributes,
)
from heat_io.drivers.ports import NewUuid, Now
from heat_io.drivers.traversal_store import forget_ids

RESOURCE_RANK = 1

type RowWrite = Write[ResourceRecord]


@dataclass(frozen=True, slots=True)
class NodeWrites:
    """Makes the writes of one engine."""

    engine_id: EngineId
    now: Now
    new_uuid: NewUuid
    is_still_dead: Callable[[Connection, EngineId], bool]
    """see Liveness: whoever lost a lock because of a verdict may have come back since"""

    def claim(
        self, effect: ClaimNode, stack: StackRecord, traversal_id: TraversalId, type_name: str
    ) -> RowWrite:
        """Take the lock for an action; lost too when the traversal is not the stack's any more."""
        row, plan = effect.row, effect.plan
        event_uuid, now = self.new_uuid(), self.now()
        values: dict[str, Any] = {
            "engine_id": self.engine_id,
            "action": effect.action,
            "status": Status.IN_PROGRESS,
            "status_reason": "state changed",
        }
        if isinstance(plan, Plan) and effect.action is not Action.CHECK:
            values["requires"] = plan.requires_while_running
            if effect.action is Action.CREATE:
                # From here on the row is of this template, also for whoever takes it over.
                values["metadata"] = plan.metadata
                values["current_template_id"] = plan.template_id
                # One that is tried again: the object of the first attempt has been removed.
                values["physical_id"] = None
            elif effect.action is Action.UPDATE:
                values["updated_at"] = now
                if plan.clear_replaced_by:
                    values["replaced_by"] = None

        values |= without_attributes(row)

        def then(connection: Connection) -> Applied[ResourceRecord]:
            drop_attributes(connection, row)
            claimed = as_written(row, values)
            if effect.action is Action.CREATE and isinstance(plan, Plan):
                claimed = self._store_properties(connection, claimed, plan)
            event = self._event(connection, claimed, stack, type_name, event_uuid)
            return Applied(claimed, (event,))

        update = HeldUpdate(row.id, None, row.atomic_key, values, (stack.id, traversal_id))
        return _row_write(row, update, then, "claim")

    def take_over(self, row: ResourceRecord) -> RowWrite:
        """Take a dead engine's lock; nothing else changes."""
        if row.engine_id is None:
            raise AssertionError("there is no lock to take over")
        dead = row.engine_id

        def apply(connection: Connection) -> Applied[ResourceRecord] | Lost:
            if not self.is_still_dead(connection, dead):
                return Lost()
            if not resources.take_over(connection, row.id, dead, row.atomic_key, self.engine_id):
                return Lost()
            return Applied(as_written(row, {"engine_id": self.engine_id}))

        def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
            return matching(connection, as_written(row, {"engine_id": self.engine_id}))

        return Write(apply, confirm, order=(RESOURCE_RANK, row.id), label="take over")

    def lock(self, row: ResourceRecord, stack: StackRecord, traversal_id: TraversalId) -> RowWrite:
        """Take the lock and change nothing else; lost with the traversal, as a claim is."""
        values = {"engine_id": self.engine_id}

        def apply(connection: Connection) -> Applied[ResourceRecord] | Lost:
            if not _update(connection, row, None, values, (stack.id, traversal_id)):
                return Lost()
            return Applied(as_written(row, values))

        def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
            return matching(connection, as_written(row, values))

        return Write(apply, confirm, order=(RESOURCE_RANK, row.id), label="lock")

    def went_down(
        self, row: ResourceRecord, action: Action | None, stack: StackRecord, type_name: str
    ) -> RowWrite:
        """Take a dead engine's lock away and say that the action failed, without a bump.

        Nothing has failed where there is no action.
        """
        if row.engine_id is None:
            raise AssertionError("there is no lock to take away")
        dead = row.engine_id
        if action is None:
            return self._unlock(row, dead)
        event_uuid = self.new_uuid()
        values: dict[str, Any] = {
            "engine_id": None,
            "action": action,
            "status": Status.FAILED,
            "status_reason": f"Worker went down during resource {action}",
            **without_attributes(row),
        }
        after = replace(row, **values)

        def apply(connection: Connection) -> Applied[ResourceRecord] | Lost:
            if not self.is_still_dead(connection, dead) or not resources.update_if(
                connection,
                row.id,
                engine_id=dead,
                atomic_key=row.atomic_key,
                values=values,
                bump=False,
            ):
                return Lost()
            drop_attributes(connection, row)
            event = self._event(connection, after, stack, type_name, event_uuid)
            return Applied(after, (event,))

        def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
            stored = events.fetch(connection, stack.id, event_uuid)
            return Lost() if stored is None else Applied(after)

        return Write(apply, confirm, order=(RESOURCE_RANK, row.id), label="went down")

    def _unlock(self, row: ResourceRecord, dead: EngineId) -> RowWrite:
        free = replace(row, engine_id=None)

        def apply(connection: Connection) -> Applied[ResourceRecord] | Lost:
            if self.is_still_dead(connection, dead):
                resources.update_if(
                    connection,
                    row.id,
                    engine_id=dead,
                    atomic_key=row.atomic_key,
                    values={"engine_id": None},
                    bump=False,
                )
            return confirm(connection)

        def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
            # Without a bump nobody can tell who did it, and it does not matter.
            return matching(connection, free)

        return Write(apply, confirm, order=(RESOURCE_RANK, row.id), label="unlock")

    def outcome(
        self, effect: StoreOutcome, stack: StackRecord, type_name: str, owed: Owed | None = None
    ) -> RowWrite:
        """Store the state, with what is `owed` by the row, and release the lock."""
        row, plan = effect.row, effect.plan
        event_uuid = self.new_uuid()
        values: dict[str, Any] = {
            "engine_id": None,
            "action": effect.action,
            "status": effect.status,
            "status_reason": effect.reason,
        }
        if effect.completed and isinstance(plan, Plan) and effect.action is not Action.DELETE:
            values["current_template_id"] = plan.template_id
            if effect.status is Status.COMPLETE:
                # One that failed half way may still need what it needed before.
                values["requires"] = plan.requires
        succeeded = effect.status is Status.COMPLETE and effect.completed
        happened = (effect.action, effect.status) != (row.action, row.status)
        brought = succeeded and isinstance(plan, Plan) and effect.action is not Action.DELETE
        note = note_of_done(stack, plan) if brought else {}
        if owed is not None:
            values["physical_id"] = owed.request.physical_id
        store_owed = None if owed is None else owed.storing()

        def then(connection: Connection) -> Applied[ResourceRecord]:
            stored = with_data(as_written(row, values), note)
            if store_owed is not None:
                store_owed(connection)
            resource_data.set_many(connection, row.id, note)
            if succeeded and effect.action is Action.UPDATE and isinstance(plan, Plan):
                stored = self._store_properties(connection, stored, plan, metadata=True)
            if succeeded and effect.action is Action.DELETE:
                release_replacement(connection, stored)
            if not happened:
                return Applied(stored)
            event = self._event(connection, stored, stack, type_name, event_uuid)
            return Applied(stored, (event,))

        update = HeldUpdate(row.id, self.engine_id, row.atomic_key, values)
        # An update stores properties in a row whose id is not known before.
        after = None if effect.action is Action.UPDATE else as_written(row, values)
        foreseen = None if after is None else with_data(after, note)
        return _row_write(row, update, then, "outcome", foreseen)

    def unchanged(
        self,
        row: ResourceRecord,
        plan: Plan,
        stack: StackRecord,
        in_traversal: tuple[StackId, TraversalId] | None = None,
    ) -> RowWrite:
        """Move an unchanged row to the new template (rules/h-updates.md#12).

        Lost too when the stack is not `in_traversal`, where that is given.
        """
        event_uuid = self.new_uuid()
        values: dict[str, Any] = {"current_template_id": plan.template_id}
        if plan.clear_replaced_by and row.replaced_by is not None:
            values["replaced_by"] = None
        if row.status is Status.FAILED:
            values["status"] = Status.COMPLETE
            values["status_reason"] = (
                "Update status to COMPLETE for FAILED resource neither update nor replace."
            )

        def then(connection: Connection) -> Applied[ResourceRecord]:
            stored = as_written(row, values)
            if stored.status is row.status:
                return Applied(stored)
            event = self._event(connection, stored, stack, plan.type_name, event_uuid)
            return Applied(stored, (event,))

        update = HeldUpdate(row.id, None, row.atomic_key, values, in_traversal)
        return _row_write(row, update, then, "unchanged", as_written(row, values))

    def unchecked(self, row: ResourceRecord, plan: Plan, stack: StackRecord) -> RowWrite:
        """Say that the type cannot be checked (rules/g-events-status.md#7)."""
        event_uuid = self.new_uuid()
        values: dict[str, Any] = {
            "action": Action.CHECK,
            "status": Status.COMPLETE,
            "status_reason": f"CHECK not supported for {plan.type_name}",
        }

        def then(connection: Connection) -> Applied[ResourceRecord]:
            stored = as_written(row, values)
            if (row.action, row.status) == (stored.action, stored.status):
                return Applied(stored)
            event = self._event(connection, stored, stack, plan.type_name, event_uuid)
            return Applied(stored, (event,))

        return _row_write(row, HeldUpdate(row.id, None, row.atomic_key, values), then, "unchecked")

    def refused(
        self,
        effect: StoreRefused,
        stack: StackRecord,
        traversal_id: TraversalId,
        type_name: str,
    ) -> RowWrite:
        """Say that an update does not begin; lost when the row or the traversal has moved on."""
        row = effect.row
        event_uuid = self.new_uuid()
        told = replace(row, action=Action.UPDATE, status=Status.FAILED, status_reason=effect.text)

        def apply(connection: Connection) -> Applied[ResourceRecord] | Lost:
            current = stacks.fetch(connection, stack.id, with_deps=False)
            if current is None or current.current_traversal != traversal_id:
                return Lost()
            found = resources.fetch(connection, row.id)
            if found is None or not holds_as(found, row):
                return Lost()
            if not effect.text:
                return Applied(row)
            event = self._event(connection, told, stack, type_name, event_uuid)
            return Applied(row, (event,))

        def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
            stored = not effect.text or events.fetch(connection, stack.id, event_uuid)
            return Applied(row) if stored else Lost()

        return Write(apply, confirm, order=(RESOURCE_RANK, row.id), label="refused")

    def remove(
        self, row: ResourceRecord, stack: StackRecord, traversal_id: TraversalId
    ) -> RowWrite:
        """Remove a row with nothing behind it, unless somebody has taken it up meanwhile.

        A newer traversal may have chosen the row for its graph, so this one must be current.
        """

        def apply(connection: Connection) -> Applied[ResourceRecord] | Lost:
            unmoved = {"current_traversal": traversal_id}
            if not stacks.update_if_traversal(connection, stack.id, traversal_id, unmoved):
                return Lost()
            if not _update(connection, row, None, {"action": Action.DELETE}):
                return Lost()
            release_replacement(connection, row)
            resource_removal.delete_rows(connection, [row.id])
            if row.replaces is not None:
                replaced = resources.fetch(connection, row.replaces)
                forget_ids(connection, [replaced] if replaced else [], {row.id})
            return Applied(row)

        def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
            return Applied(row) if resources.fetch(connection, row.id) is None else Lost()

        return Write(apply, confirm, order=(RESOURCE_RANK, row.id), label="remove")

    def replacement(self, effect: MakeReplacement, traversal_id: TraversalId) -> Write[ResourceId]:
        """Insert the new row and link both (rules/h-updates.md#18)."""
        row, plan, stack = effect.row, effect.plan, effect.stack
        if not isinstance(plan, Plan):
            raise AssertionError("a replacement needs the plan of its evaluation")
        new = ResourceRecord(
            id=ResourceId(0),
            uuid=self.new_uuid(),
            name=row.name,
            stack_id=row.stack_id,
            root_stack_id=row.root_stack_id,
            replaces=row.id,
            current_template_id=plan.template_id,
            requires=plan.requires,
            status_reason=None,
            created_at=self.now(),
        )

        def apply(connection: Connection) -> Applied[ResourceId] | Lost:
            unmoved = {"current_traversal": traversal_id}
            if not stacks.update_if_traversal(connection, stack.id, traversal_id, unmoved):
                return Lost()
            new_id = resources.insert_replacement(
                connection, new, replaced=row.id, atomic_key=row.atomic_key
            )
            if new_id is None:
                return Lost()
            return Applied(new_id)

        def confirm(connection: Connection) -> Applied[ResourceId] | Lost:
            current = resources.fetch(connection, row.id)
            if current is None or current.replaced_by in (None, row.replaced_by):
                return Lost()
            made = resources.fetch(connection, ResourceId(current.replaced_by or 0))
            return Applied(made.id) if made is not None and made.uuid == new.uuid else Lost()

        return Write(apply, confirm, order=(RESOURCE_RANK, row.id), label="replacement")

    def created(self, row: ResourceRecord, request: StoreCreated) -> RowWrite:
        """The physical id, and the data that came with it: no bump (DESIGN: invariant 4)."""
        owed = Owed(row, request)
        store_owed, stored = owed.storing(), owed.row

        def then(connection: Connection) -> Applied[ResourceRecord]:
            store_owed(connection)
            return Applied(stored)

        def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
            current = resources.fetch(connection, row.id)
            if current is None or current.engine_id != self.engine_id:
                return Lost()
            if current.physical_id != request.physical_id:
                return Lost()
            return Applied(stored)

        held = HeldId(row.id, self.engine_id, request.physical_id)
        share = Share(set_all_physical_ids, held, row.id, then)
        return Write.sharing(share, confirm, order=(RESOURCE_RANK, row.id), label="created")

    def data(self, row: ResourceRecord, request: StoreData) -> RowWrite:
        """Rows of resource_data, while the lock is ours."""
        values = {datum.key: datum.value for datum in request.data}

        def then(connection: Connection) -> Applied[ResourceRecord]:
            store_data(connection, row, request.data)
            return Applied(with_data(row, values))

        def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
            current = resources.fetch(connection, row.id, with_data=True)
            if current is None or not holds_as(current, row):
                return Lost()
            there = all(current.data.get(key) == value for key, value in values.items())
            return Applied(with_data(row, values)) if there else Lost()

        mine = {"engine_id": self.engine_id}
        held = HeldUpdate(row.id, self.engine_id, row.atomic_key, mine, bump=False)
        share = Share(update_all_if, held, row.id, then)
        return Write.sharing(share, confirm, order=(RESOURCE_RANK, row.id), label="data")

    def _store_properties(
        self, connection: Connection, row: ResourceRecord, plan: Plan, metadata: bool = False
    ) -> ResourceRecord:
        """Store the new properties in a row of their own: events keep showing the old ones.

        For a row that this transaction has just written as ours: nobody else can, but what shares
        the transaction may have bumped its key (a replacement is let go).
        """
        values: dict[str, Any] = {}
        if metadata and dict(plan.metadata) != dict(row.metadata or {}):
            values["metadata"] = plan.metadata
        if plan.stored_properties != row.properties or row.properties_data_id is None:
            if plan.stored_properties:
                values["properties_data_id"] = properties_data.insert(
                    connection, plan.stored_properties
                )
            elif row.properties_data_id is not None:
                values["properties_data_id"] = None
        if not values:
            return row
        resources.update(connection, row.id, values)
        return replace(row, **values, properties=plan.stored_properties)

    def _event(
        self,
        connection: Connection,
        row: ResourceRecord,
        stack: StackRecord,
        type_name: str,
        uuid: str,
    ) -> EventRecord:
        event = resource_event(
            row,
            stack_name=stack.name,
            type_name=type_name,
            properties_data_id=row.properties_data_id,
            uuid=uuid,
            now=self.now(),
        )
        events.insert_many(connection, [event])
        return event


def _row_write(
    row: ResourceRecord,
    update: HeldUpdate,
    then: Callable[[Connection], Applied[ResourceRecord]],
    label: str,
    foreseen: ResourceRecord | None = None,
) -> RowWrite:
    """An update of the row that may share its statement with those of others."""

    def confirm(connection: Connection) -> Applied[ResourceRecord] | Lost:
        return matching(connection, as_written(row, update.values))

    share = Share(update_all_if, update, row.id, then)
    order = (RESOURCE_RANK, row.id)
    return Write.sharing(share, confirm, order=order, label=label, foreseen=foreseen)


def _update(
    connection: Connection,
    row: ResourceRecord,
    expected_engine: EngineId | None,
    values: Mapping[str, Any],
    in_traversal: tuple[StackId, TraversalId] | None = None,
) -> bool:
    return resources.update_if(
        connection,
        row.id,
        engine_id=expected_engine,
        atomic_key=row.atomic_key,
        values=values,
        bump=True,
        in_traversal=in_traversal,
    )
