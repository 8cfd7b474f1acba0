"""What all resources with a nested stack do: make it, follow it, and take it down again.

The nested stack is a stack like any other, run by whichever engine takes it up; its resource only
starts its operations and waits for their ends. Source: rules/h-updates.md#25,
rules/e-identity.md#22.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import (
    EntityNotFound,
    Error,
    NotSupported,
    ResourceFailure,
    UpdateReplace,
)
from heat_core.procedure import (
    CancelChild,
    CheckChild,
    ChildState,
    DeleteChild,
    FindChild,
    ProcedureIO,
    UpdateChild,
)
from heat_core.resources.contract import Change
from heat_core.resources.nested.stack_type import StackType
from heat_core.stack.states import Action, Status

CHILD = "child"
"""the service name under which the driver knows how often to look at a nested stack"""

ANSWERS_UPDATE = frozenset({Action.UPDATE, Action.ROLLBACK})
"""what a nested stack that was told to update may be found to have done"""


class ActingStack(StackType):
    """Base of the types whose nested stack is one in this very service."""

    can_find = True
    announced: ClassVar[frozenset[str]] = frozenset()
    """actions beyond create, update and delete that the type has behaviour for"""

    @classmethod
    def supports(cls, action: str) -> bool:
        return action.lower() in cls.announced

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        await io.created(await io.create_child())

    async def find(self, io: ProcedureIO, props: Mapping[str, Any]) -> str | None:
        found = await io.child(FindChild())
        return None if found is None else str(found)

    async def finish_create(self, io: ProcedureIO) -> None:
        await self.follow(io, frozenset({Action.CREATE}))

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        await self.update_child(io, UpdateChild(await self.child_to_update(io)))

    async def finish_update(self, io: ProcedureIO, change: Change) -> None:
        await self.follow(io, ANSWERS_UPDATE)

    async def start_delete(self, io: ProcedureIO) -> None:
        child_id = self.view.physical_id
        if child_id is None:
            # A create that was cut may have made one whose id nobody got to know. Stored, it is
            # waited for: what it needs must not be deleted before it is gone.
            child_id = await io.child(FindChild())
            if child_id is not None:
                await io.created(child_id)
        if child_id is not None:
            await io.child(DeleteChild(child_id))

    async def finish_delete(self, io: ProcedureIO) -> None:
        if self.view.physical_id is not None:
            await self.follow(io, frozenset({Action.DELETE}))

    async def start_check(self, io: ProcedureIO) -> None:
        if self.view.physical_id is not None:
            await io.child(CheckChild(self.view.physical_id))

    async def finish_check(self, io: ProcedureIO) -> None:
        if self.view.physical_id is not None:
            await self.follow(io, frozenset({Action.CHECK}))

    async def cut_off(self, io: ProcedureIO) -> None:
        if self.view.physical_id is not None:
            await io.child(CancelChild(self.view.physical_id))

    async def update_child(self, io: ProcedureIO, request: UpdateChild) -> None:
        """Tell the nested stack to update; UpdateReplace where a delete was faster."""
        try:
            await io.child(request)
        except (EntityNotFound, NotSupported):
            await self.child_to_update(io)
            raise

    async def child_to_update(self, io: ProcedureIO) -> str:
        """The id of the nested stack; UpdateReplace when it is gone or on its way.

        A clean-up that another update overtook has begun to delete it, and no stack comes back from
        that.
        """
        child_id = self.view.physical_id
        state = None if child_id is None else await io.look_at_child(child_id)
        if child_id is None or state is None or state.action == Action.DELETE:
            raise UpdateReplace(str(self))
        return child_id

    async def follow(self, io: ProcedureIO, expected: frozenset[Action]) -> None:
        """Wait until the nested stack has ended one of these actions; raise how it failed.

        A stack that is gone has been deleted, whoever did it.
        """
        child_id = self.view.physical_id
        if child_id is None:
            raise AssertionError("there is no nested stack to wait for")

        async def look(asked: ProcedureIO) -> ChildState | None:
            return await asked.look_at_child(child_id)

        def ended(state: ChildState | None) -> bool:
            if state is None:
                return True
            return state.action in expected and state.status != Status.IN_PROGRESS

        state = await io.poll(look, ended, service=CHILD)
        if state is None:
            if Action.DELETE in expected:
                return
            if Action.CREATE in expected:
                raise Error("The nested stack was deleted before it was complete.")
            raise UpdateReplace(str(self))
        if state.status == Status.FAILED:
            raise child_failure(state.reason, self.view.name, state.action)


def child_failure(reason: str, resource_name: str, action: str) -> ResourceFailure:
    """The failure of a resource by its nested stack's reason, its path put in front of theirs.

    "Resource CREATE failed: ValueError: resources.a: text" of the nested stack of b becomes
    "ValueError: resources.b.resources.a: text" (rules/g-events-status.md#2, 4).
    """
    place: list[Any] = ["resources", resource_name]
    if f"Resource {action.upper()} failed: " not in reason:
        return ResourceFailure(None, place, reason)
    parts = [part.strip() for part in reason.split(":")]
    if len(parts) < 4:
        return ResourceFailure("", place, reason)
    return ResourceFailure(parts[1], [*place, *parts[2].split(".")], ": ".join(parts[3:]))
