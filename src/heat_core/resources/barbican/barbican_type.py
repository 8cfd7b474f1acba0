"""What all types of the barbican client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class BarbicanType(ResourceType):
    """Base of the types behind which the service key-manager stands."""

    service = "key-manager"
    client_name = "barbican"
