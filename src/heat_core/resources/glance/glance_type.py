"""What all types of the glance client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class GlanceType(ResourceType):
    """Base of the types behind which the service image stands."""

    service = "image"
    client_name = "glance"
