"""OS::Designate::Domain."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class DesignateDomain(NoneResource):
    """A domain of the first DNS API; does nothing any more."""

    name = "OS::Designate::Domain"
    support = hidden(
        "10.0.0",
        "Replaced by OS::Designate::Zone.",
        previous=deprecated("8.0.0", previous=Support(version="5.0.0")),
    )
