"""OS::Vitrage::Template."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class VitrageTemplate(NoneResource):
    """A template of a service that is gone; does nothing any more."""

    name = "OS::Vitrage::Template"
    support = hidden(
        "27.0.0",
        "The project Vitrage was retired.",
        previous=deprecated(
            "26.0.0", "The project Vitrage was retired.", previous=Support(version="16.0.0")
        ),
    )
