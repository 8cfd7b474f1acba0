"""OS::Neutron::FirewallPolicy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class FirewallPolicy(Unbuilt, NeutronType):
    """A list of firewall rules."""

    name = "OS::Neutron::FirewallPolicy"
    required_extension = "fwaas"
    entity = "firewall_policy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the policy.", update_allowed=True),
        "description": Prop.string("What the policy is for.", update_allowed=True),
        "shared": Prop.boolean(
            "Whether all projects may use the policy.", default=False, update_allowed=True
        ),
        "audited": Prop.boolean(
            "Whether somebody has looked the rules over.", default=False, update_allowed=True
        ),
        "firewall_rules": Prop.list("Ids of the rules, in order.", update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(description="Name of the policy.", kind=Kind.STRING),
        "description": Attr(description="What the policy is for.", kind=Kind.STRING),
        "firewall_rules": Attr(description="Ids of the rules, in order.", kind=Kind.LIST),
        "shared": Attr(description="Whether all projects may use the policy.", kind=Kind.STRING),
        "audited": Attr(
            description="Whether somebody has looked the rules over.", kind=Kind.STRING
        ),
        "tenant_id": Attr(description="Id of the project that owns the policy.", kind=Kind.STRING),
    }
