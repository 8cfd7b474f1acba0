"""OS::Ironic::Port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.ironic.ironic_type import IronicType
from heat_core.resources.unbuilt import Unbuilt


class Port(Unbuilt, IronicType):
    """A network interface of a bare metal node."""

    name = "OS::Ironic::Port"
    support = Support(version="13.0.0")
    entity = "port"

    properties: ClassVar[Mapping[str, Prop]] = {
        "node": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("ironic.node")]
        ),
        "address": Prop.string(required=True, update_allowed=True),
        "portgroup": Prop.string(update_allowed=True, constraints=[Custom("ironic.portgroup")]),
        "local_link_connection": Prop.map(update_allowed=True),
        "pxe_enabled": Prop.boolean(update_allowed=True),
        "physical_network": Prop.string(update_allowed=True),
        "extra": Prop.map(update_allowed=True),
        "is_smartnic": Prop.boolean(update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "address": Attr(kind=Kind.STRING),
        "node_uuid": Attr(kind=Kind.STRING),
        "portgroup_uuid": Attr(kind=Kind.STRING),
        "local_link_connection": Attr(kind=Kind.MAP),
        "pxe_enabled": Attr(kind=Kind.BOOLEAN),
        "physical_network": Attr(kind=Kind.STRING),
        "internal_info": Attr(kind=Kind.MAP),
        "extra": Attr(kind=Kind.MAP),
        "is_smartnic": Attr(kind=Kind.BOOLEAN),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["node"], "ironic", "get_node"),
            rule.resolve(["portgroup"], "ironic", "get_portgroup"),
        )
