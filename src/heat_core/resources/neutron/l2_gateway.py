"""OS::Neutron::L2Gateway: devices that extend networks to hardware outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class L2Gateway(Unbuilt, NeutronType):
    """Devices that extend networks to hardware outside."""

    name = "OS::Neutron::L2Gateway"
    support = Support(version="12.0.0")
    required_extension = "l2-gateway"
    entity = "l2_gateway"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the gateway.", required=True, update_allowed=True),
        "devices": Prop.list(
            "The devices.",
            required=True,
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "device_name": Prop.string("Name of the device.", required=True),
                    "interfaces": Prop.list(
                        "Interfaces of the device.",
                        required=True,
                        schema=Prop.map(
                            schema={
                                "name": Prop.string("Name of the interface.", required=True),
                                "segmentation_id": Prop.list("Segments on the interface."),
                            }
                        ),
                    ),
                }
            ),
        ),
    }
