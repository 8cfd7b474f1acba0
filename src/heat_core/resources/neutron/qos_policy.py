"""OS::Neutron::QoSPolicy: rules for the traffic of ports and networks."""

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
    """Rules for the traffic of ports and networks."""

    name = "OS::Neutron::QoSPolicy"
    support = Support(version="6.0.0")
    required_extension = "qos"
    entity = "qos_policy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the policy.", update_allowed=True),
        "description": Prop.string("What the policy is for.", update_allowed=True),
        "shared": Prop.boolean(
            "Whether all projects may use the policy.", default=False, update_allowed=True
        ),
        "tenant_id": Prop.string("Id of the project that owns the policy; for administrators."),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "rules": Attr(description="The rules of the policy.", kind=Kind.LIST),
    }
