"""OS::Neutron::MeteringRule."""

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
    name = "OS::Neutron::MeteringRule"
    support = Support(version="2014.1")
    entity = "metering_label_rule"

    properties: ClassVar[Mapping[str, Prop]] = {
        "metering_label_id": Prop.string(required=True),
        "remote_ip_prefix": Prop.string(required=True),
        "direction": Prop.string(
            default="ingress", constraints=[AllowedValues(["ingress", "egress"])]
        ),
        "excluded": Prop.boolean(default="False"),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "direction": Attr(kind=Kind.STRING),
        "excluded": Attr(kind=Kind.STRING),
        "metering_label_id": Attr(kind=Kind.STRING),
        "remote_ip_prefix": Attr(kind=Kind.STRING),
    }
