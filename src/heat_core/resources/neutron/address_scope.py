"""OS::Neutron::AddressScope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class AddressScope(Unbuilt, NeutronType):
    name = "OS::Neutron::AddressScope"
    support = Support(version="6.0.0")
    required_extension = "address-scope"
    entity = "address_scope"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "shared": Prop.boolean(default=False, update_allowed=True),
        "tenant_id": Prop.string(constraints=[Custom("keystone.project")]),
        "ip_version": Prop.integer(default=4, constraints=[AllowedValues([4, 6])]),
    }
