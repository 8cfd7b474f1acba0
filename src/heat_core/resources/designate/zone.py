"""OS::Designate::Zone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Length,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
    deprecated,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.designate.designate_type import DesignateType
from heat_core.resources.unbuilt import Unbuilt


class DesignateZone(Unbuilt, DesignateType):
    """A DNS zone."""

    name = "OS::Designate::Zone"
    support = Support(version="8.0.0")
    entity = "zones"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(required=True, constraints=[Length(max=255)]),
        "ttl": Prop.integer(update_allowed=True, constraints=[Range(1, 2147483647)]),
        "description": Prop.string(update_allowed=True, constraints=[Length(max=160)]),
        "email": Prop.string(update_allowed=True),
        "type": Prop.string(
            default="PRIMARY", constraints=[AllowedValues(["PRIMARY", "SECONDARY"])]
        ),
        "masters": Prop.list(
            update_allowed=True, support=deprecated("15.0.0", "Replaced by primaries.")
        ),
        "primaries": Prop.list(update_allowed=True),
        "attributes": Prop.map(support=Support(version="24.0.0")),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "serial": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.replace(["masters"], value_name="primaries"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        for kind, needed in (("PRIMARY", "email"), ("SECONDARY", "masters")):
            if props["type"] == kind and not props[needed]:
                refuse(f"Property {needed} is required for zone type {kind}")
