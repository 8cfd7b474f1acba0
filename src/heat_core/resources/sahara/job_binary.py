"""OS::Sahara::JobBinary."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class JobBinary(NoneResource):
    """A program of a service that is gone; does nothing any more."""

    name = "OS::Sahara::JobBinary"
    support = hidden(
        "23.0.0",
        "The project Sahara was retired.",
        previous=deprecated(
            "22.0.0", "The project Sahara was retired.", previous=Support(version="5.0.0")
        ),
    )
