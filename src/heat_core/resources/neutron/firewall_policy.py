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
    name = "OS::Neutron::FirewallPolicy"
    required_extension = "fwaas"
    entity = "firewall_policy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "shared": Prop.boolean(default=False, update_allowed=True),
        "audited": Prop.boolean(default=False, update_allowed=True),
        "firewall_rules": Prop.list(update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING),
        "description": Attr(kind=Kind.STRING),
        "firewall_rules": Attr(kind=Kind.LIST),
        "shared": Attr(kind=Kind.STRING),
        "audited": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
    }
