"""OS::Neutron::L2Gateway."""

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
    name = "OS::Neutron::L2Gateway"
    support = Support(version="12.0.0")
    required_extension = "l2-gateway"
    entity = "l2_gateway"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(required=True, update_allowed=True),
        "devices": Prop.list(
            required=True,
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "device_name": Prop.string(required=True),
                    "interfaces": Prop.list(
                        required=True,
                        schema=Prop.map(
                            schema={
                                "name": Prop.string(required=True),
                                "segmentation_id": Prop.list(),
                            }
                        ),
                    ),
                }
            ),
        ),
    }
