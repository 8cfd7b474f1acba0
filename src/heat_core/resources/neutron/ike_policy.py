"""OS::Neutron::IKEPolicy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Prop,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.neutron.vpn_algorithms import (
    AUTH_ALGORITHM,
    ENCRYPTION_ALGORITHM,
    LIFETIME,
    PFS,
)
from heat_core.resources.unbuilt import Unbuilt


class IKEPolicy(Unbuilt, NeutronType):
    name = "OS::Neutron::IKEPolicy"
    required_extension = "vpnaas"
    entity = "ikepolicy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "auth_algorithm": AUTH_ALGORITHM,
        "encryption_algorithm": ENCRYPTION_ALGORITHM,
        "phase1_negotiation_mode": Prop.string(
            default="main", constraints=[AllowedValues(["main"])]
        ),
        "lifetime": LIFETIME,
        "pfs": PFS,
        "ike_version": Prop.string(
            default="v1", update_allowed=True, constraints=[AllowedValues(["v1", "v2"])]
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "auth_algorithm": Attr(kind=Kind.STRING),
        "description": Attr(kind=Kind.STRING),
        "encryption_algorithm": Attr(kind=Kind.STRING),
        "ike_version": Attr(kind=Kind.STRING),
        "lifetime": Attr(kind=Kind.MAP),
        "name": Attr(kind=Kind.STRING),
        "pfs": Attr(kind=Kind.STRING),
        "phase1_negotiation_mode": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
    }
