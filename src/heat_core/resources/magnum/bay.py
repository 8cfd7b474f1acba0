"""OS::Magnum::Bay: former name of a cluster; does nothing any more."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class Bay(NoneResource):
    """Former name of a cluster; does nothing any more."""

    name = "OS::Magnum::Bay"
    support = hidden(
        "11.0.0",
        "Replaced by OS::Magnum::Cluster.",
        previous=deprecated(
            "9.0.0", "Replaced by OS::Magnum::Cluster.", previous=Support(version="6.0.0")
        ),
    )
