"""OS::Heat::HARestarter."""

from __future__ import annotations

from heat_core.properties import (
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class Restarter(NoneResource):
    """Restarted a server through its whole chain of dependents; does nothing any more."""

    name = "OS::Heat::HARestarter"
    support = hidden(
        "10.0.0",
        "Removed; existing ones do nothing.",
        previous=deprecated("2015.1", "Removed; existing ones do nothing."),
    )
