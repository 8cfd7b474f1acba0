"""What all types of the mistral client have in common."""

from __future__ import annotations

from heat_core.resources.contract import ResourceType


class MistralType(ResourceType):
    """Base of the types behind which the service workflowv2 stands."""

    service = "workflowv2"
    client_name = "mistral"
