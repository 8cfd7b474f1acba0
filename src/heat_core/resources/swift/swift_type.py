"""What all types of the swift client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class SwiftType(ResourceType):
    """Base of the types behind which the service object-store stands."""

    service = "object-store"
    client_name = "swift"
