"""What all types of the manila client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class ManilaType(ResourceType):
    """Base of the types behind which the service sharev2 stands."""

    service = "sharev2"
    client_name = "manila"
