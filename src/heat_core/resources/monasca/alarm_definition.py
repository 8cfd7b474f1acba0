"""OS::Monasca::AlarmDefinition: an alarm of a service that is gone; does nothing any more."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
    unsupported,
)
from heat_core.resources.heat.none_resource import NoneResource


class MonascaAlarmDefinition(NoneResource):
    """An alarm of a service that is gone; does nothing any more."""

    name = "OS::Monasca::AlarmDefinition"
    support = hidden(
        "25.0.0",
        "The project Monasca was retired.",
        previous=deprecated(
            "22.0.0",
            "The project Monasca was retired.",
            previous=Support(version="7.0.0", previous=unsupported("5.0.0")),
        ),
    )
