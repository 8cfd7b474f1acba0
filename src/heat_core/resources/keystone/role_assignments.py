"""The roles property of users, groups and their role assignments."""

from __future__ import annotations

from heat_core.properties import (
    Custom,
    Prop,
)

ROLES = Prop.list(
    update_allowed=True,
    schema=Prop.map(
        schema={
            "role": Prop.string(required=True, constraints=[Custom("keystone.role")]),
            "project": Prop.string(constraints=[Custom("keystone.project")]),
            "domain": Prop.string(constraints=[Custom("keystone.domain")]),
        }
    ),
)
