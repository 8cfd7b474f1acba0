"""OS::Neutron::LBaaS::PoolMember."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class PoolMember(NoneResource):
    """A member of the second load balancers' pools; does nothing any more."""

    name = "OS::Neutron::LBaaS::PoolMember"
    support = hidden(
        "21.0.0", "Replaced by the types OS::Octavia::*.", previous=Support(version="6.0.0")
    )
