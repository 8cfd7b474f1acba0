"""OS::Neutron::L2GatewayConnection: binds a network to a layer 2 gateway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class L2GatewayConnection(Unbuilt, NeutronType):
    """Binds a network to a layer 2 gateway."""

    name = "OS::Neutron::L2GatewayConnection"
    support = Support(version="12.0.0")
    required_extension = "l2-gateway-connection"
    entity = "l2_gateway_connection"

    properties: ClassVar[Mapping[str, Prop]] = {
        "l2_gateway_id": Prop.string("Name or id of the gateway.", required=True),
        "network_id": Prop.string(
            "Name or id of the network.", required=True, constraints=[Custom("neutron.network")]
        ),
        "segmentation_id": Prop.string("Segment on the gateway's interfaces."),
    }
