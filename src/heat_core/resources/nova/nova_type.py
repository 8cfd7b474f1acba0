"""What all types of the nova client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class NovaType(ResourceType):
    """Base of the types behind which the service compute stands."""

    service = "compute"
    client_name = "nova"
