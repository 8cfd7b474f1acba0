"""What all types of the octavia client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class OctaviaType(ResourceType):
    """Base of the types behind which the service load-balancer stands."""

    service = "load-balancer"
    client_name = "octavia"
