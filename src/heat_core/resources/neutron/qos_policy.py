"""OS::Neutron::QoSPolicy."""

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


class QoSPolicy(Unbuilt, NeutronType):
    name = "OS::Neutron::QoSPolicy"
    support = Support(version="6.0.0")
    required_extension = "qos"
    entity = "qos_policy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "shared": Prop.boolean(default=False, update_allowed=True),
        "tenant_id": Prop.string(),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "rules": Attr(kind=Kind.LIST),
    }
