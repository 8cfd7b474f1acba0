"""OS::Blazar::Host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.blazar.blazar_type import BlazarType
from heat_core.resources.unbuilt import Unbuilt


class Host(Unbuilt, BlazarType):
    """A host that can be reserved."""

    name = "OS::Blazar::Host"
    support = Support(version="12.0.0")
    entity = "host"
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(required=True),
        "extra_capability": Prop.map(),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "hypervisor_hostname": Attr(kind=Kind.STRING),
        "hypervisor_type": Attr(kind=Kind.STRING),
        "hypervisor_version": Attr(kind=Kind.INTEGER),
        "vcpus": Attr(kind=Kind.INTEGER),
        "cpu_info": Attr(kind=Kind.MAP),
        "memory_mb": Attr(kind=Kind.INTEGER),
        "local_gb": Attr(kind=Kind.INTEGER),
        "service_name": Attr(kind=Kind.STRING),
        "reservable": Attr(kind=Kind.BOOLEAN),
        "status": Attr(kind=Kind.STRING),
        "trust_id": Attr(kind=Kind.STRING),
        "extra_capability": Attr(kind=Kind.MAP),
        "created_at": Attr(kind=Kind.STRING),
        "updated_at": Attr(kind=Kind.STRING),
    }
