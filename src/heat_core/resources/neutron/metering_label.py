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
    name = "OS::Neutron::MeteringLabel"
    support = Support(version="2014.1")
    entity = "metering_label"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "description": Prop.string(),
        "shared": Prop.boolean(default=False, support=Support(version="2015.1")),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING),
        "description": Attr(kind=Kind.STRING),
        "shared": Attr(kind=Kind.STRING),
    }
