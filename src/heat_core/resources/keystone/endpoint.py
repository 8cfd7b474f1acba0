"""OS::Keystone::Endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.keystone.keystone_type import KeystoneType
from heat_core.resources.unbuilt import Unbuilt


class KeystoneEndpoint(Unbuilt, KeystoneType):
    """A URL at which a service is reached."""

    name = "OS::Keystone::Endpoint"
    support = Support(version="5.0.0", message="Works with version 3 of the identity API.")
    entity = "endpoints"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "region": Prop.string(update_allowed=True, constraints=[Custom("keystone.region")]),
        "service": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("keystone.service")]
        ),
        "interface": Prop.string(
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(["public", "internal", "admin"])],
        ),
        "url": Prop.string(required=True, update_allowed=True),
        "enabled": Prop.boolean(
            default=True, update_allowed=True, support=Support(version="6.0.0")
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["service"], "keystone", "get_service_id"),
            rule.resolve(["region"], "keystone", "get_region_id"),
        )
