"""OS::Neutron::LoadBalancer."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class LoadBalancer(NoneResource):
    """A load balancer of the first kind; does nothing any more."""

    name = "OS::Neutron::LoadBalancer"
    support = hidden(
        "9.0.0",
        "Replaced by the second version of the load balancers.",
        previous=deprecated(
            "7.0.0",
            "Replaced by the second version of the load balancers.",
            previous=Support(version="2014.1"),
        ),
    )
