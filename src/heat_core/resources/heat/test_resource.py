"""OS::Heat::TestResource: stores a text, and waits, fails or asks to be replaced as it is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.procedure import Datum, ProcedureIO
from heat_core.properties import Attr, CacheMode, Custom, Prop, Support
from heat_core.resources.contract import Change, ResourceType
from heat_core.resources.failures import PluginFailure
from heat_core.resources.inputs import bind, stored_values

_FOREVER_STEP_SECONDS = 3600.0


def _action_wait(action: str) -> Prop:
    return Prop.number(
        f"Seconds that the {action} takes; wait_secs when absent.", update_allowed=True
    )


class TestResource(ResourceType):
    """A resource for tests: it keeps the text it is given."""

    name = "OS::Heat::TestResource"
    support = Support(version="5.0.0")
    create_repeatable = True

    properties: ClassVar[Mapping[str, Prop]] = {
        "constraint_prop_secs": Prop.number(
            "Seconds that checking this value takes.",
            default=0,
            update_allowed=True,
            constraints=[Custom("test_constr")],
            support=Support(version="6.0.0"),
        ),
        "attr_wait_secs": Prop.number(
            "Seconds that reading an attribute takes.",
            default=0,
            update_allowed=True,
            support=Support(version="6.0.0"),
        ),
        "value": Prop.string("The text to keep.", default="test_string", update_allowed=True),
        "update_replace_value": Prop.string(
            "A text whose change replaces the resource.", support=Support(version="7.0.0")
        ),
        "fail": Prop.boolean(
            "Whether creating and updating fail, once the wait is over.",
            default=False,
            update_allowed=True,
        ),
        "update_replace": Prop.boolean(
            "Whether a change of the kept text replaces the resource.",
            default=False,
            update_allowed=True,
        ),
        "wait_secs": Prop.number(
            "Seconds that every action takes; below zero it never ends.",
            default=0,
            update_allowed=True,
        ),
        "action_wait_secs": Prop.map(
            "Seconds that single actions take.",
            update_allowed=True,
            schema={action: _action_wait(action) for action in ("create", "update", "delete")},
        ),
        "client_name": Prop.string(
            "Service to bother while waiting; has no visible effect.",
            default="",
            update_allowed=True,
        ),
        "entity_name": Prop.string(
            "Kind of object to ask that service for; has no visible effect.",
            default="",
            update_allowed=True,
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "output": Attr(description="The text that is kept.", cache=CacheMode.NONE),
    }

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        if not props["fail"]:
            await io.created(self.view.physical_name, [Datum("value", props["value"])])

    async def finish_create(self, io: ProcedureIO) -> None:
        await self._finish(io, stored_values(self), "create")

    def needs_replace_with_prop_diff(self, change: Change) -> bool:
        return "value" in change.changed and bool(change.after["update_replace"])

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        value = change.difference.get("value")
        if value and not change.after["fail"]:
            await io.store(Datum("value", value))

    async def finish_update(self, io: ProcedureIO, change: Change) -> None:
        await self._finish(io, change.after, "update", waits=bool(change.difference.get("value")))

    async def finish_delete(self, io: ProcedureIO) -> None:
        await _wait(io, _seconds(stored_values(self), "delete"))

    async def start_check(self, io: ProcedureIO) -> None:
        if not self.view.physical_id:
            raise PluginFailure("Exception", "Resource not created")

    async def _finish(
        self, io: ProcedureIO, props: Mapping[str, Any], action: str, *, waits: bool = True
    ) -> None:
        await _wait(io, _seconds(props, action) if waits else 0)
        if props["fail"]:
            raise ValueError(f"Test Resource failed {self.view.name}")

    async def attribute(self, io: ProcedureIO, name: str) -> Any:
        await _wait(io, stored_values(self)["attr_wait_secs"])
        return self.view.data.get("value")

    def attribute_after(
        self, name: str, properties: Mapping[str, Any], change: Change | None
    ) -> Any:
        if change is None:
            return bind(type(self), properties)["value"]
        return change.difference.get("value") or self.view.data.get("value")


def _seconds(props: Mapping[str, Any], action: str) -> float:
    """The wait of an action: its own when given, else the common one."""
    own = (props["action_wait_secs"] or {}).get(action)
    return float(props["wait_secs"] if own is None else own)


async def _wait(io: ProcedureIO, seconds: float) -> None:
    if seconds < 0:
        while True:
            await io.sleep(_FOREVER_STEP_SECONDS)
    if seconds > 0:
        await io.sleep(seconds)
