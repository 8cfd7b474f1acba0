"""OS::Keystone::Group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.keystone.keystone_type import KeystoneType
from heat_core.resources.keystone.role_assignments import ROLES, check_assignments
from heat_core.resources.unbuilt import Unbuilt


class KeystoneGroup(Unbuilt, KeystoneType):
    """A group of users."""

    name = "OS::Keystone::Group"
    support = Support(version="2015.1", message="Works with version 3 of the identity API.")
    entity = "groups"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "domain": Prop.string(
            default="default", update_allowed=True, constraints=[Custom("keystone.domain")]
        ),
        "description": Prop.string(default="", update_allowed=True),
        "roles": ROLES,
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["domain"], "keystone", "get_domain_id"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        check_assignments(props)
