"""OS::Senlin::Profile."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class Profile(NoneResource):
    """A profile of a service that is gone; does nothing any more."""

    name = "OS::Senlin::Profile"
    support = hidden(
        "23.0.0",
        "The project Senlin was retired.",
        previous=deprecated(
            "22.0.0", "The project Senlin was retired.", previous=Support(version="6.0.0")
        ),
    )
