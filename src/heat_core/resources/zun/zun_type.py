"""What all types of the zun client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class ZunType(ResourceType):
    """Base of the types behind which the service container stands."""

    service = "container"
    client_name = "zun"
