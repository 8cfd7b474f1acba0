"""OS::Neutron::QoSMinimumBandwidthRule."""

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


class QoSMinimumBandwidthRule(Unbuilt, NeutronType):
    """A bandwidth that ports can count on."""

    name = "OS::Neutron::QoSMinimumBandwidthRule"
    support = Support(version="14.0.0")
    required_extension = "qos-bw-minimum-ingress"
    entity = "minimum_bandwidth_rule"

    properties: ClassVar[Mapping[str, Prop]] = {
        "min_kbps": Prop.integer(
            "Least kilobits a second.", required=True, update_allowed=True, constraints=[Range(0)]
        ),
        "direction": Prop.string(
            "Direction of the traffic.",
            default="egress",
            update_allowed=True,
            constraints=[AllowedValues(["egress", "ingress"])],
        ),
        "policy": Prop.string(
            "Name or id of the QoS policy that the rule belongs to.",
            required=True,
            constraints=[Custom("neutron.qos_policy")],
        ),
        "tenant_id": Prop.string("Id of the project that owns the rule; for administrators."),
    }
