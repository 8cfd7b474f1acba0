"""OS::Designate::Record."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class DesignateRecord(NoneResource):
    """A record of the first DNS API; does nothing any more."""

    name = "OS::Designate::Record"
    support = hidden(
        "10.0.0",
        "Replaced by OS::Designate::RecordSet.",
        previous=deprecated("8.0.0", previous=Support(version="5.0.0")),
    )
