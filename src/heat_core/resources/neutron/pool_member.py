"""OS::Neutron::PoolMember."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class PoolMember(NoneResource):
    """A member of the first load balancers' pools; does nothing any more."""

    name = "OS::Neutron::PoolMember"
    support = hidden(
        "9.0.0",
        "Replaced by the second version of the load balancers.",
        previous=deprecated(
            "7.0.0",
            "Replaced by the second version of the load balancers.",
            previous=Support(version="2014.1"),
        ),
    )
