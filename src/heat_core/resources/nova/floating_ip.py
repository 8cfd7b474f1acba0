"""OS::Nova::FloatingIP: an address outside, from the time when servers had them without ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.unbuilt import Unbuilt


class NovaFloatingIp(Unbuilt):
    """An address outside, from the time when servers had them without ports."""

    name = "OS::Nova::FloatingIP"
    support = hidden(
        "11.0.0",
        "Replaced by OS::Neutron::FloatingIP.",
        previous=deprecated(
            "9.0.0", "Replaced by OS::Neutron::FloatingIP.", previous=Support(version="2014.1")
        ),
    )
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "pool": Prop.string("Pool that the address comes from."),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "pool": Attr(description="Pool that the address comes from.", kind=Kind.STRING),
        "ip": Attr(description="The address.", kind=Kind.STRING),
    }
