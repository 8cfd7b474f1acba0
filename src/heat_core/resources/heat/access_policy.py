"""OS::Heat::AccessPolicy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
)
from heat_core.resources.unbuilt import Unbuilt


class AccessPolicy(Unbuilt):
    name = "OS::Heat::AccessPolicy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "AllowedResources": Prop.list(required=True),
    }
