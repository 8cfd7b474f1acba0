"""What all types of the heat client have in common."""

from __future__ import annotations

from collections.abc import Collection

from heat_core.resources.contract import ResourceType


class HeatType(ResourceType):
    """Base of the types behind which the service orchestration stands."""

    service = "orchestration"
    client_name = "heat"

    @classmethod
    def unavailable_reason(cls, catalog_types: Collection[str]) -> str | None:
        """Either of the two services of orchestration is enough (facts/client-plugins.json)."""
        if cls.service in catalog_types or "cloudformation" in catalog_types:
            return None
        return "heat cloudformation endpoint is not in service catalog."
