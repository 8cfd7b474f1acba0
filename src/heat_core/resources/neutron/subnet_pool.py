"""OS::Neutron::SubnetPool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Length,
    Prop,
    Range,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class SubnetPool(Unbuilt, NeutronType):
    name = "OS::Neutron::SubnetPool"
    support = Support(version="6.0.0")
    required_extension = "subnet_allocation"
    entity = "subnetpool"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "prefixes": Prop.list(
            required=True,
            update_allowed=True,
            constraints=[Length(1)],
            schema=Prop.string(constraints=[Custom("net_cidr")]),
        ),
        "address_scope": Prop.string(
            update_allowed=True, constraints=[Custom("neutron.address_scope")]
        ),
        "default_quota": Prop.integer(update_allowed=True, constraints=[Range(0)]),
        "default_prefixlen": Prop.integer(update_allowed=True, constraints=[Range(0)]),
        "min_prefixlen": Prop.integer(update_allowed=True, constraints=[Range(0)]),
        "max_prefixlen": Prop.integer(update_allowed=True, constraints=[Range(0)]),
        "is_default": Prop.boolean(default=False, update_allowed=True),
        "tenant_id": Prop.string(),
        "shared": Prop.boolean(default=False),
        "tags": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="9.0.0")
        ),
    }
