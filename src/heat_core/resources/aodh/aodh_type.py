"""What all types of the aodh client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class AodhType(ResourceType):
    """Base of the types behind which the service alarming stands."""

    service = "alarming"
    client_name = "aodh"
