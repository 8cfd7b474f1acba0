"""OS::Heat::CloudConfig."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.heat.heat_type import HeatType
from heat_core.resources.unbuilt import Unbuilt


class CloudConfig(Unbuilt, HeatType):
    """A cloud-init configuration, kept for servers to boot with."""

    name = "OS::Heat::CloudConfig"
    support = Support(version="2014.1")
    entity = "software_configs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "cloud_config": Prop.map("The configuration as a map."),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "config": Attr(description="The configuration as cloud-init reads it.", kind=Kind.STRING),
    }
