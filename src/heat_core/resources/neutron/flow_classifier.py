"""OS::Neutron::FlowClassifier: tells which traffic goes through a chain of services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Properties,
    Range,
    Rule,
    unsupported,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class FlowClassifier(Unbuilt, NeutronType):
    """Tells which traffic goes through a chain of services."""

    name = "OS::Neutron::FlowClassifier"
    support = unsupported("8.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the classifier.", update_allowed=True),
        "description": Prop.string("What the classifier is for.", update_allowed=True),
        "protocol": Prop.string(
            "Protocol of the traffic.", constraints=[AllowedValues(["tcp", "udp", "icmp"])]
        ),
        "ethertype": Prop.string(
            "IP version of the traffic.",
            default="IPv4",
            constraints=[AllowedValues(["IPv4", "IPv6"])],
        ),
        "source_ip_prefix": Prop.string(
            "Network that it comes from.", constraints=[Custom("net_cidr")]
        ),
        "destination_ip_prefix": Prop.string(
            "Network that it goes to.", constraints=[Custom("net_cidr")]
        ),
        "source_port_range_min": Prop.integer(
            "First port that it comes from.", constraints=[Range(1, 65535)]
        ),
        "source_port_range_max": Prop.integer(
            "Last port that it comes from.", constraints=[Range(1, 65535)]
        ),
        "destination_port_range_min": Prop.integer(
            "First port that it goes to.", constraints=[Range(1, 65535)]
        ),
        "destination_port_range_max": Prop.integer(
            "Last port that it goes to.", constraints=[Range(1, 65535)]
        ),
        "logical_source_port": Prop.string(
            "Name or id of the port where it enters.", constraints=[Custom("neutron.port")]
        ),
        "logical_destination_port": Prop.string(
            "Name or id of the port where it ends.", constraints=[Custom("neutron.port")]
        ),
        "l7_parameters": Prop.map(
            "Conditions on higher layers, by key.",
            support=unsupported(None, "No value is supported so far."),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(
                ["logical_source_port"], "neutron", "find_resourceid_by_name_or_id", "port"
            ),
            rule.resolve(
                ["logical_destination_port"], "neutron", "find_resourceid_by_name_or_id", "port"
            ),
        )
