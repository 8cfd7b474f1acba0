"""OS::Heat::AccessPolicy: names the resources that a stack user may read through the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
)
from heat_core.resources.unbuilt import Unbuilt


class AccessPolicy(Unbuilt):
    """Names the resources that a stack user may read through the API."""

    name = "OS::Heat::AccessPolicy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "AllowedResources": Prop.list("Names of the resources that may be read.", required=True),
    }
