"""What all types of the designate client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class DesignateType(ResourceType):
    """Base of the types behind which the service dns stands."""

    service = "dns"
    client_name = "designate"
