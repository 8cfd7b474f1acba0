"""OS::Glance::Image."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class GlanceImage(NoneResource):
    name = "OS::Glance::Image"
    support = hidden(
        "22.0.0",
        previous=deprecated(
            "8.0.0", "Replaced by OS::Glance::WebImage.", previous=Support(version="2014.2")
        ),
    )
