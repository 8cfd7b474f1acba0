"""OS::Nova::FloatingIPAssociation: binds an address outside to a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class NovaFloatingIpAssociation(Unbuilt, NovaType):
    """Binds an address outside to a server."""

    name = "OS::Nova::FloatingIPAssociation"
    support = hidden(
        "11.0.0",
        "Replaced by OS::Neutron::FloatingIPAssociation.",
        previous=deprecated(
            "9.0.0",
            "Replaced by OS::Neutron::FloatingIPAssociation.",
            previous=Support(version="2014.1"),
        ),
    )
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "server_id": Prop.string(
            "The server.", required=True, update_allowed=True, constraints=[Custom("nova.server")]
        ),
        "floating_ip": Prop.string("Id of the address.", required=True, update_allowed=True),
    }
