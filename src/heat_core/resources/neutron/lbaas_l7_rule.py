"""OS::Neutron::LBaaS::L7Rule."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class L7Rule(NoneResource):
    """A rule of the second load balancers; does nothing any more."""

    name = "OS::Neutron::LBaaS::L7Rule"
    support = hidden(
        "21.0.0", "Replaced by the types OS::Octavia::*.", previous=Support(version="7.0.0")
    )
