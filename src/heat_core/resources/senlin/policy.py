"""OS::Senlin::Policy."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class Policy(NoneResource):
    """A policy of a service that is gone; does nothing any more."""

    name = "OS::Senlin::Policy"
    support = hidden(
        "23.0.0",
        "The project Senlin was retired.",
        previous=deprecated(
            "22.0.0", "The project Senlin was retired.", previous=Support(version="6.0.0")
        ),
    )
