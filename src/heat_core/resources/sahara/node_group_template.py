"""OS::Sahara::NodeGroupTemplate."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class SaharaNodeGroupTemplate(NoneResource):
    """A node group template of a service that is gone; does nothing any more."""

    name = "OS::Sahara::NodeGroupTemplate"
    support = hidden(
        "23.0.0",
        "The project Sahara was retired.",
        previous=deprecated(
            "22.0.0", "The project Sahara was retired.", previous=Support(version="2014.2")
        ),
    )
