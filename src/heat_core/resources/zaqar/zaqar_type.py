"""What all types of the zaqar client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class ZaqarType(ResourceType):
    """Base of the types behind which the service messaging stands."""

    service = "messaging"
    client_name = "zaqar"
