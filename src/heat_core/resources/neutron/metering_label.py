"""OS::Neutron::MeteringLabel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class MeteringLabel(Unbuilt, NeutronType):
    """A name under which traffic is counted."""

    name = "OS::Neutron::MeteringLabel"
    support = Support(version="2014.1")
    entity = "metering_label"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the label."),
        "description": Prop.string("What the label is for."),
        "shared": Prop.boolean(
            "Whether all projects may use the label.",
            default=False,
            support=Support(version="2015.1"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(description="Name of the label.", kind=Kind.STRING),
        "description": Attr(description="What the label is for.", kind=Kind.STRING),
        "shared": Attr(description="Whether all projects may use the label.", kind=Kind.STRING),
    }
