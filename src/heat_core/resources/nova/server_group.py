"""OS::Nova::ServerGroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Prop,
    Support,
)
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class ServerGroup(Unbuilt, NovaType):
    """A wish that servers share a host or do not."""

    name = "OS::Nova::ServerGroup"
    support = Support(version="2014.2")
    entity = "server_groups"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the group."),
        "policies": Prop.list(
            "The wishes, by name.",
            default=["anti-affinity"],
            constraints=[
                AllowedValues(["anti-affinity", "affinity", "soft-anti-affinity", "soft-affinity"])
            ],
            schema=Prop.string(),
        ),
        "rules": Prop.map(
            "Details of the wishes.",
            schema={"max_server_per_host": Prop.number("Most servers of the group on one host.")},
            support=Support(version="17.0.0"),
        ),
    }
