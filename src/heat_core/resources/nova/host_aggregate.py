"""OS::Nova::HostAggregate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Support,
)
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class HostAggregate(Unbuilt, NovaType):
    """A set of compute hosts that have something in common."""

    name = "OS::Nova::HostAggregate"
    support = Support(version="6.0.0")
    entity = "aggregates"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the aggregate.", required=True, update_allowed=True),
        "availability_zone": Prop.string(
            "Availability zone that the aggregate makes.", update_allowed=True
        ),
        "hosts": Prop.list(
            "Names of the hosts.",
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("nova.host")]),
        ),
        "metadata": Prop.map(
            "What the hosts have in common, by key.", default={}, update_allowed=True
        ),
    }
