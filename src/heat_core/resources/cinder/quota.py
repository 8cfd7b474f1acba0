"""OS::Cinder::Quota: limits of what a project may have in the block storage; -1 is no limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.demands import some_limit
from heat_core.resources.unbuilt import Unbuilt


class CinderQuota(Unbuilt, CinderType):
    """Limits of what a project may have in the block storage; -1 is no limit."""

    name = "OS::Cinder::Quota"
    support = Support(version="7.0.0")
    required_extension = "os-quota-sets"
    entity = "quotas"

    properties: ClassVar[Mapping[str, Prop]] = {
        "project": Prop.string(
            "Name or id of the project.", required=True, constraints=[Custom("keystone.project")]
        ),
        "gigabytes": Prop.integer(
            "Most gigabytes of volumes and snapshots.", update_allowed=True, constraints=[Range(-1)]
        ),
        "volumes": Prop.integer("Most volumes.", update_allowed=True, constraints=[Range(-1)]),
        "backups": Prop.integer(
            "Most backups.",
            update_allowed=True,
            constraints=[Range(-1)],
            support=Support(version="16.0.0"),
        ),
        "backup_gigabytes": Prop.integer(
            "Most gigabytes of backups.",
            update_allowed=True,
            constraints=[Range(-1)],
            support=Support(version="16.0.0"),
        ),
        "snapshots": Prop.integer("Most snapshots.", update_allowed=True, constraints=[Range(-1)]),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["project"], "keystone", "get_project_id"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        some_limit(props, ("gigabytes", "snapshots", "volumes", "backups", "backup_gigabytes"))
