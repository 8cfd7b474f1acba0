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
    """A range of addresses within which subnets do not overlap."""

    name = "OS::Neutron::AddressScope"
    support = Support(version="6.0.0")
    required_extension = "address-scope"
    entity = "address_scope"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the scope.", update_allowed=True),
        "shared": Prop.boolean(
            "Whether all projects may use the scope.", default=False, update_allowed=True
        ),
        "tenant_id": Prop.string(
            "Id of the project that owns the scope; for administrators.",
            constraints=[Custom("keystone.project")],
        ),
        "ip_version": Prop.integer(
            "IP version of the addresses.", default=4, constraints=[AllowedValues([4, 6])]
        ),
    }
