"""What all types of the magnum client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class MagnumType(ResourceType):
    """Base of the types behind which the service container-infra stands."""

    service = "container-infra"
    client_name = "magnum"
