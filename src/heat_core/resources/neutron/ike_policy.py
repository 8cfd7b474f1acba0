"""OS::Neutron::IKEPolicy: how the two ends of a VPN agree on keys."""

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
    """How the two ends of a VPN agree on keys."""

    name = "OS::Neutron::IKEPolicy"
    required_extension = "vpnaas"
    entity = "ikepolicy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the policy.", update_allowed=True),
        "description": Prop.string("What the policy is for.", update_allowed=True),
        "auth_algorithm": AUTH_ALGORITHM,
        "encryption_algorithm": ENCRYPTION_ALGORITHM,
        "phase1_negotiation_mode": Prop.string(
            "How the first agreement is reached.",
            default="main",
            constraints=[AllowedValues(["main"])],
        ),
        "lifetime": LIFETIME,
        "pfs": PFS,
        "ike_version": Prop.string(
            "Version of the protocol.",
            default="v1",
            update_allowed=True,
            constraints=[AllowedValues(["v1", "v2"])],
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "auth_algorithm": Attr(
            description="Algorithm that proves who sent a packet.", kind=Kind.STRING
        ),
        "description": Attr(description="What the policy is for.", kind=Kind.STRING),
        "encryption_algorithm": Attr(
            description="Algorithm that packets are encrypted with.", kind=Kind.STRING
        ),
        "ike_version": Attr(description="Version of the protocol.", kind=Kind.STRING),
        "lifetime": Attr(description="How long an agreement holds.", kind=Kind.MAP),
        "name": Attr(description="Name of the policy.", kind=Kind.STRING),
        "pfs": Attr(description="Group for perfect forward secrecy.", kind=Kind.STRING),
        "phase1_negotiation_mode": Attr(
            description="How the first agreement is reached.", kind=Kind.STRING
        ),
        "tenant_id": Attr(description="Id of the project that owns the policy.", kind=Kind.STRING),
    }
