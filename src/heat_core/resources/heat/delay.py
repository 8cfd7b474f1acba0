"""OS::Heat::Delay: takes time, between what it depends on and what depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import StackValidationFailed
from heat_core.procedure import ProcedureIO
from heat_core.properties import AllowedValues, Prop, Range, Support
from heat_core.resources.contract import ResourceType
from heat_core.resources.heat.dice import Dice
from heat_core.resources.inputs import stored_values
from heat_core.stack.states import Action

_ACTIONS = (Action.CREATE, Action.DELETE, Action.SUSPEND, Action.RESUME)


class Delay(ResourceType):
    """Waits during chosen actions: a fixed time and a random one on top.

    A wait that an engine's end cuts off starts anew in the engine that takes over.
    """

    name = "OS::Heat::Delay"
    support = Support(version="11.0.0")
    create_repeatable = True

    properties: ClassVar[Mapping[str, Prop]] = {
        "min_wait": Prop.number(
            "Seconds to wait at least.",
            update_allowed=True,
            default=0,
            constraints=[Range(min=0)],
        ),
        "max_jitter": Prop.number(
            "Most that is added at random, in units of jitter_multiplier.",
            update_allowed=True,
            default=0,
            constraints=[Range(min=0)],
        ),
        "jitter_multiplier": Prop.number(
            "Seconds that a unit of max_jitter lasts.",
            update_allowed=True,
            default=1.0,
            constraints=[Range(min=0)],
        ),
        "actions": Prop.list(
            "The actions that wait.",
            update_allowed=True,
            default=[Action.CREATE.value],
            constraints=[AllowedValues([action.value for action in _ACTIONS])],
        ),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        longest = props["min_wait"] + _longest_jitter(props)
        if longest > self.view.stack_timeout_seconds:
            # The whole text stands where other errors have only their class.
            raise StackValidationFailed(
                error=f"{self.name} maximum delay {longest}s exceeds stack timeout."
            )

    async def finish_create(self, io: ProcedureIO) -> None:
        await self._wait(io, Action.CREATE)

    async def finish_delete(self, io: ProcedureIO) -> None:
        await self._wait(io, Action.DELETE)

    async def finish_suspend(self, io: ProcedureIO) -> None:
        await self._wait(io, Action.SUSPEND)

    async def finish_resume(self, io: ProcedureIO) -> None:
        await self._wait(io, Action.RESUME)

    async def _wait(self, io: ProcedureIO, action: Action) -> None:
        props = stored_values(self)
        if action not in props["actions"]:
            return
        jitter = _longest_jitter(props)
        share = await Dice(io).fraction() if jitter else 0.0
        seconds = props["min_wait"] + jitter * share
        if seconds:
            await io.sleep(seconds)


def _longest_jitter(props: Mapping[str, Any]) -> float:
    # Whole numbers stay whole: the longest wait is shown to users.
    jitter: float = props["max_jitter"] * props["jitter_multiplier"]
    return jitter
