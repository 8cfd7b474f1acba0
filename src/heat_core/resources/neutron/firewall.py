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
    """A firewall around a project's routers."""

    name = "OS::Neutron::Firewall"
    required_extension = "fwaas"
    entity = "firewall"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the firewall.", update_allowed=True),
        "description": Prop.string("What the firewall is for.", update_allowed=True),
        "admin_state_up": Prop.boolean(
            "Whether the firewall is switched on.", default=True, update_allowed=True
        ),
        "firewall_policy_id": Prop.string(
            "Id of the policy with the firewall's rules.", required=True, update_allowed=True
        ),
        "value_specs": Prop.map(
            "Further fields of the request, for plugins of the service.",
            default={},
            update_allowed=True,
            support=Support(version="5.0.0"),
        ),
        "shared": Prop.boolean(
            "Whether all projects may use the firewall.",
            update_allowed=True,
            support=unsupported(
                "6.0.0", "Not used by the service.", previous=Support(version="2015.1")
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(description="Name of the firewall.", kind=Kind.STRING),
        "description": Attr(description="What the firewall is for.", kind=Kind.STRING),
        "admin_state_up": Attr(
            description="Whether the firewall is switched on.", kind=Kind.STRING
        ),
        "firewall_policy_id": Attr(
            description="Id of the policy with the firewall's rules.", kind=Kind.STRING
        ),
        "shared": Attr(
            description="Whether all projects may use the firewall.",
            kind=Kind.STRING,
            support=unsupported("6.0.0", "Not known to the service."),
        ),
        "status": Attr(
            description="State of the firewall, as the service tells it.", kind=Kind.STRING
        ),
        "tenant_id": Attr(
            description="Id of the project that owns the firewall.", kind=Kind.STRING
        ),
    }
