"""OS::Sahara::ClusterTemplate."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class SaharaClusterTemplate(NoneResource):
    """A cluster template of a service that is gone; does nothing any more."""

    name = "OS::Sahara::ClusterTemplate"
    support = hidden(
        "23.0.0",
        previous=deprecated(
            "22.0.0", "The project Sahara was retired.", previous=Support(version="2014.2")
        ),
    )
