"""Groups that are made and updated in batches: the steps, over the arithmetic of the batches.

Each batch is an update of the nested stack. Which batches are left follows from the members that
there are, so an engine that goes on for another needs nothing but the nested stack.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from heat_core.procedure import ProcedureIO, UpdateChild
from heat_core.resources.nested.acting import ANSWERS_UPDATE, ActingStack
from heat_core.resources.nested.batches import Batch, seconds_for_batches
from heat_core.resources.nested.stack_type import Document
from heat_core.resources.nested.surroundings import Surroundings


class RollingStack(ActingStack):
    """Base of the groups."""

    def minutes_for(self, batches: Sequence[Batch], pause_seconds: float) -> int:
        """How long each of these batches may take. ValueError when the pauses take all the time."""
        seconds = seconds_for_batches(len(batches), pause_seconds, self.view.stack_timeout_seconds)
        return math.ceil(seconds / 60)

    async def roll(
        self,
        io: ProcedureIO,
        batches: Sequence[Batch],
        pause_seconds: float,
        template: Callable[[Surroundings, Batch], Document],
    ) -> None:
        """Update the nested stack to the template of each batch, one after the other."""
        child_id = self.view.physical_id
        if child_id is None or not batches:
            return
        minutes = self.minutes_for(batches, pause_seconds)
        for index, batch in enumerate(batches):
            if index > 0 and pause_seconds > 0:
                await io.sleep(pause_seconds)
            await self.update_to(io, lambda at, batch=batch: template(at, batch), minutes)  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            await self.follow(io, ANSWERS_UPDATE)

    async def update_to(
        self,
        io: ProcedureIO,
        template: Callable[[Surroundings], Document],
        minutes: int | None = None,
    ) -> None:
        """Start to update the nested stack to a template made from what it has now."""
        child_id = self.view.physical_id
        if child_id is None:
            raise AssertionError("there is no nested stack to update")
        at: Surroundings = await io.survey_child(child_id)
        document = await io.evaluate(lambda: template(at))
        await self.update_child(io, UpdateChild(child_id, document, minutes))
