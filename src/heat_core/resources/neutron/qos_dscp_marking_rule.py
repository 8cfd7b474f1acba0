"""OS::Neutron::QoSDscpMarkingRule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class QoSDscpMarkingRule(Unbuilt, NeutronType):
    """A mark on the packets of ports."""

    name = "OS::Neutron::QoSDscpMarkingRule"
    support = Support(version="7.0.0")
    required_extension = "qos"
    entity = "dscp_marking_rule"

    properties: ClassVar[Mapping[str, Prop]] = {
        "dscp_mark": Prop.integer(
            "The DSCP value.",
            required=True,
            update_allowed=True,
            constraints=[
                AllowedValues(
                    [
                        0,
                        8,
                        10,
                        12,
                        14,
                        16,
                        18,
                        20,
                        22,
                        24,
                        26,
                        28,
                        30,
                        32,
                        34,
                        36,
                        38,
                        40,
                        46,
                        48,
                        56,
                    ]
                )
            ],
        ),
        "policy": Prop.string(
            "Name or id of the QoS policy that the rule belongs to.",
            required=True,
            constraints=[Custom("neutron.qos_policy")],
        ),
        "tenant_id": Prop.string("Id of the project that owns the rule; for administrators."),
    }
