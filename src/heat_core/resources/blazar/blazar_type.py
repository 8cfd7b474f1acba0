"""What all types of the blazar client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class BlazarType(ResourceType):
    """Base of the types behind which the service reservation stands."""

    service = "reservation"
    client_name = "blazar"
