"""What all types of the neutron client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class NeutronType(ResourceType):
    """Base of the types behind which the service network stands."""

    service = "network"
    client_name = "neutron"
