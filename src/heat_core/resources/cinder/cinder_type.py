"""What all types of the cinder client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class CinderType(ResourceType):
    """Base of the types behind which the service volumev3 stands."""

    service = "volumev3"
    client_name = "cinder"
