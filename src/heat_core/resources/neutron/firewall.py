"""OS::Neutron::Firewall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
    unsupported,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Firewall(Unbuilt, NeutronType):
    name = "OS::Neutron::Firewall"
    required_extension = "fwaas"
    entity = "firewall"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "firewall_policy_id": Prop.string(required=True, update_allowed=True),
        "value_specs": Prop.map(default={}, update_allowed=True, support=Support(version="5.0.0")),
        "shared": Prop.boolean(
            update_allowed=True,
            support=unsupported(
                "6.0.0", "Not used by the service.", previous=Support(version="2015.1")
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING),
        "description": Attr(kind=Kind.STRING),
        "admin_state_up": Attr(kind=Kind.STRING),
        "firewall_policy_id": Attr(kind=Kind.STRING),
        "shared": Attr(kind=Kind.STRING, support=unsupported("6.0.0", "Not known to the service.")),
        "status": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
    }
