"""OS::Neutron::Pool."""

from __future__ import annotations

from heat_core.properties import (
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class Pool(NoneResource):
    """A pool of the first load balancers; does nothing any more."""

    name = "OS::Neutron::Pool"
    support = hidden(
        "9.0.0",
        "Replaced by the second version of the load balancers.",
        previous=deprecated("7.0.0", "Replaced by the second version of the load balancers."),
    )
