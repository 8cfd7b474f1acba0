"""What all types of the trove client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class TroveType(ResourceType):
    """Base of the types behind which the service database stands."""

    service = "database"
    client_name = "trove"
