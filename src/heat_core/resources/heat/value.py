"""OS::Heat::Value: shows the value of an expression as an attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.procedure import ProcedureIO
from heat_core.properties import AllowedValues, Attr, Kind, Prop, Properties, Support
from heat_core.resources.contract import Change, ResourceType

_KINDS: Mapping[str, Kind] = {
    "string": Kind.STRING,
    "number": Kind.NUMBER,
    "comma_delimited_list": Kind.LIST,
    "json": Kind.MAP,
    "boolean": Kind.BOOLEAN,
}

_VALUE_TEXT = "The expression whose value is shown."


class Value(ResourceType):
    """A name for the value of an expression.

    The type only checks the value: the attribute shows it as given, not converted.
    """

    name = "OS::Heat::Value"
    support = Support(version="7.0.0")
    create_repeatable = True

    properties: ClassVar[Mapping[str, Prop]] = {
        "value": Prop.any(_VALUE_TEXT, required=True, update_allowed=True),
        "type": Prop.string(
            "The type that the value must have.",
            constraints=[AllowedValues(list(_KINDS))],
            update_allowed=True,
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "value": Attr(description="The value of the expression.")
    }

    @classmethod
    def refined_schema(cls, props: Properties) -> Mapping[str, Prop]:
        kind = _KINDS.get(props["type"])
        if kind is None:
            return {}
        return {"value": Prop.of(kind, description=_VALUE_TEXT, required=True, update_allowed=True)}

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        await io.created(self.view.physical_name)

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        """Nothing to do: the new properties are stored, and the attribute reads them."""

    async def attribute(self, io: ProcedureIO, name: str) -> Any:
        return self.view.properties.get("value")

    def attribute_after(
        self, name: str, properties: Mapping[str, Any], change: Change | None
    ) -> Any:
        return properties.get("value")
