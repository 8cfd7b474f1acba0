"""OS::Neutron::HealthMonitor."""

from __future__ import annotations

from heat_core.properties import (
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class HealthMonitor(NoneResource):
    """A health monitor of the first load balancers; does nothing any more."""

    name = "OS::Neutron::HealthMonitor"
    support = hidden(
        "9.0.0",
        "Replaced by the second version of the load balancers.",
        previous=deprecated("7.0.0", "Replaced by the second version of the load balancers."),
    )
