"""OS::Sahara::DataSource."""

from __future__ import annotations

from heat_core.properties import (
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.heat.none_resource import NoneResource


class DataSource(NoneResource):
    """A data source of a service that is gone; does nothing any more."""

    name = "OS::Sahara::DataSource"
    support = hidden(
        "23.0.0",
        "The project Sahara was retired.",
        previous=deprecated(
            "22.0.0", "The project Sahara was retired.", previous=Support(version="5.0.0")
        ),
    )
