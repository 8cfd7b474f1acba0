"""OS::Neutron::LBaaS::Listener."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class Listener(NoneResource):
    """A listener of the second load balancers; does nothing any more."""

    name = "OS::Neutron::LBaaS::Listener"
    support = hidden(
        "21.0.0", "Replaced by the types OS::Octavia::*.", previous=Support(version="6.0.0")
    )
