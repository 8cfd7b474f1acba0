"""OS::Monasca::Notification."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class MonascaNotification(NoneResource):
    """A notification of a service that is gone; does nothing any more."""

    name = "OS::Monasca::Notification"
    support = hidden(
        "25.0.0",
        "The project Monasca was retired.",
        previous=deprecated(
            "22.0.0",
            "The project Monasca was retired.",
            previous=Support(version="7.0.0", previous=Support(version="5.0.0")),
        ),
    )
