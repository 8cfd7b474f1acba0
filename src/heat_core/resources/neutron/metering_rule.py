"""OS::Neutron::MeteringRule: which traffic counts under a metering label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class MeteringRule(Unbuilt, NeutronType):
    """Which traffic counts under a metering label."""

    name = "OS::Neutron::MeteringRule"
    support = Support(version="2014.1")
    entity = "metering_label_rule"

    properties: ClassVar[Mapping[str, Prop]] = {
        "metering_label_id": Prop.string("Id of the label.", required=True),
        "remote_ip_prefix": Prop.string("Network at the other end.", required=True),
        "direction": Prop.string(
            "Direction of the traffic.",
            default="ingress",
            constraints=[AllowedValues(["ingress", "egress"])],
        ),
        "excluded": Prop.boolean("Whether such traffic is left out of the count.", default="False"),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "direction": Attr(description="Direction of the traffic.", kind=Kind.STRING),
        "excluded": Attr(
            description="Whether such traffic is left out of the count.", kind=Kind.STRING
        ),
        "metering_label_id": Attr(description="Id of the label.", kind=Kind.STRING),
        "remote_ip_prefix": Attr(description="Network at the other end.", kind=Kind.STRING),
    }
