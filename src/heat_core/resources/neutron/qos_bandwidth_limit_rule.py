"""OS::Neutron::QoSBandwidthLimitRule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Range,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class QoSBandwidthLimitRule(Unbuilt, NeutronType):
    """A limit of the bandwidth of ports."""

    name = "OS::Neutron::QoSBandwidthLimitRule"
    support = Support(version="6.0.0")
    required_extension = "qos"
    entity = "bandwidth_limit_rule"

    properties: ClassVar[Mapping[str, Prop]] = {
        "max_kbps": Prop.integer(
            "Most kilobits a second.", required=True, update_allowed=True, constraints=[Range(0)]
        ),
        "max_burst_kbps": Prop.integer(
            "Most kilobits a second in a burst.",
            default=0,
            update_allowed=True,
            constraints=[Range(0)],
        ),
        "direction": Prop.string(
            "Direction of the traffic.",
            default="egress",
            update_allowed=True,
            constraints=[AllowedValues(["egress", "ingress"])],
            support=Support(version="13.0.0"),
        ),
        "policy": Prop.string(
            "Name or id of the QoS policy that the rule belongs to.",
            required=True,
            constraints=[Custom("neutron.qos_policy")],
        ),
        "tenant_id": Prop.string("Id of the project that owns the rule; for administrators."),
    }
