"""OS::Neutron::ExtraRoute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    unsupported,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class ExtraRoute(Unbuilt, NeutronType):
    name = "OS::Neutron::ExtraRoute"
    support = unsupported(None, "Other routes of the router can get lost.")
    required_extension = "extraroute"

    properties: ClassVar[Mapping[str, Prop]] = {
        "router_id": Prop.string(required=True, constraints=[Custom("neutron.router")]),
        "destination": Prop.string(required=True),
        "nexthop": Prop.string(required=True),
    }
