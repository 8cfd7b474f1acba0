"""OS::Keystone::User."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.keystone.keystone_type import KeystoneType
from heat_core.resources.keystone.role_assignments import ROLES, check_assignments
from heat_core.resources.unbuilt import Unbuilt


class KeystoneUser(Unbuilt, KeystoneType):
    """A user."""

    name = "OS::Keystone::User"
    support = Support(version="2015.1", message="Works with version 3 of the identity API.")
    entity = "users"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "domain": Prop.string(
            default="default", update_allowed=True, constraints=[Custom("keystone.domain")]
        ),
        "description": Prop.string(default="", update_allowed=True),
        "enabled": Prop.boolean(default=True, update_allowed=True),
        "email": Prop.string(update_allowed=True),
        "password": Prop.string(update_allowed=True),
        "default_project": Prop.string(
            update_allowed=True, constraints=[Custom("keystone.project")]
        ),
        "groups": Prop.list(
            update_allowed=True, schema=Prop.string(constraints=[Custom("keystone.group")])
        ),
        "roles": ROLES,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING, support=Support(version="9.0.0")),
        "default_project_id": Attr(kind=Kind.STRING, support=Support(version="9.0.0")),
        "domain_id": Attr(kind=Kind.STRING, support=Support(version="9.0.0")),
        "enabled": Attr(kind=Kind.BOOLEAN, support=Support(version="9.0.0")),
        "password_expires_at": Attr(kind=Kind.STRING, support=Support(version="9.0.0")),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["domain"], "keystone", "get_domain_id"),
            rule.resolve(["default_project"], "keystone", "get_project_id"),
            rule.resolve(["groups"], "keystone", "get_group_id"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        check_assignments(props)
