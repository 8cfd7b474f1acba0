"""What all types of the keystone client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class KeystoneType(ResourceType):
    """Base of the types behind which the service identity stands."""

    service = "identity"
    client_name = "keystone"
