"""The roles property of users, groups and their role assignments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.properties import (
    Custom,
    Prop,
)
from heat_core.resources.demands import not_both, refuse

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


def check_assignments(props: Mapping[str, Any]) -> None:
    """A role is had in a project or in a domain."""
    for assignment in props["roles"] or ():
        not_both(assignment, "project", "domain")
        if assignment["project"] is None and assignment["domain"] is None:
            refuse(f"Either project or domain must be specified for role {assignment['role']}")
