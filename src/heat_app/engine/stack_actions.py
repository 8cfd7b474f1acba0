"""Actions on a stack that is there: cancel what it is doing, check it.

Source: rules/h-updates.md (Cancel), rules/g-events-status.md#3, rules/i-convergence.md#10, #18.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_app.engine.lookup import stack_of_identity
from heat_app.engine.ports import Endpoint
from heat_core.errors import Forbidden, NotSupported
from heat_core.rpc import RequestContext
from heat_core.stack import Action, StackId, StackRecord, Status
from heat_io.drivers.legacy import refuse_legacy

ROLLS_BACK = frozenset({Action.UPDATE})
STOPS = frozenset({Action.UPDATE, Action.CREATE})


class StackActions(Endpoint):
    """What can be done to a stack without a template."""

    async def stack_cancel_update(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any],
        cancel_with_rollback: bool = True,
    ) -> None:
        """Go back to before the running update, or only stop it (a running create too).

        NotSupported when nothing runs that could be cancelled that way.
        """
        stack = await self._stack(context, stack_identity)
        refuse_legacy(stack, "To cancel what is under way")
        allowed = ROLLS_BACK if cancel_with_rollback else STOPS
        if stack.status is not Status.IN_PROGRESS or stack.action not in allowed:
            state = f"{stack.action}_{stack.status}"
            raise NotSupported(feature=f"Cancelling update when stack is {state}")
        if cancel_with_rollback:
            await self._parts.operations.begin(context, stack.id, Action.ROLLBACK)
        else:
            await self._parts.operations.stop(context, stack.id)

    async def stack_check(self, context: RequestContext, stack_identity: Mapping[str, Any]) -> None:
        """Start to look at every resource's object; whatever is running is superseded."""
        stack = await self._stack(context, stack_identity)
        await self._parts.operations.begin(context, stack.id, Action.CHECK)

    async def migrate_convergence_1(self, context: RequestContext, stack_id: str) -> None:
        """Turn a complete stack of the legacy engine and those nested in it; for operators."""
        if not context.is_admin:
            raise Forbidden(action="migrate_convergence_1")
        await self._parts.operations.migrate(StackId(stack_id))

    async def _stack(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> StackRecord:
        return await self._parts.database.read(
            lambda connection: stack_of_identity(connection, context, stack_identity)
        )
