"""OS::Keystone::Region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.keystone.keystone_type import KeystoneType
from heat_core.resources.unbuilt import Unbuilt


class KeystoneRegion(Unbuilt, KeystoneType):
    """A region of the cloud."""

    name = "OS::Keystone::Region"
    support = Support(version="6.0.0", message="Works with version 3 of the identity API.")
    entity = "regions"

    properties: ClassVar[Mapping[str, Prop]] = {
        "id": Prop.string(),
        "parent_region": Prop.string(update_allowed=True, constraints=[Custom("keystone.region")]),
        "description": Prop.string(update_allowed=True),
        "enabled": Prop.boolean(default=True, update_allowed=True),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["parent_region"], "keystone", "get_region_id"),)
