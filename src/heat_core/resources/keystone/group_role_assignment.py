"""OS::Keystone::GroupRoleAssignment: roles of a group in projects and domains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Support,
)
from heat_core.resources.keystone.keystone_type import KeystoneType
from heat_core.resources.keystone.role_assignments import ROLES, check_assignments
from heat_core.resources.unbuilt import Unbuilt


class KeystoneGroupRoleAssignment(Unbuilt, KeystoneType):
    """Roles of a group in projects and domains."""

    name = "OS::Keystone::GroupRoleAssignment"
    support = Support(version="5.0.0", message="Works with version 3 of the identity API.")

    properties: ClassVar[Mapping[str, Prop]] = {
        "group": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("keystone.group")]
        ),
        "roles": ROLES,
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        check_assignments(props)
