"""OS::Keystone::Role."""

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


class KeystoneRole(Unbuilt, KeystoneType):
    """A role that users can have."""

    name = "OS::Keystone::Role"
    support = Support(version="2015.1", message="Works with version 3 of the identity API.")
    entity = "roles"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "domain": Prop.string(
            constraints=[Custom("keystone.domain")], support=Support(version="16.0.0")
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["domain"], "keystone", "get_domain_id"),)
