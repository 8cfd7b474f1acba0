"""OS::Glance::Image: an image from a URL, as the first image API had it; does nothing any more."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class GlanceImage(NoneResource):
    """An image from a URL, as the first image API had it; does nothing any more."""

    name = "OS::Glance::Image"
    support = hidden(
        "22.0.0",
        previous=deprecated(
            "8.0.0", "Replaced by OS::Glance::WebImage.", previous=Support(version="2014.2")
        ),
    )
