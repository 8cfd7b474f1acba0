"""What all types of the ironic client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class IronicType(ResourceType):
    """Base of the types behind which the service baremetal stands."""

    service = "baremetal"
    client_name = "ironic"
