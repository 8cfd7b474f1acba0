"""OS::Octavia::Quota: limits of what a project may have in the load balancing service."""

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
from heat_core.resources.demands import some_limit
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class OctaviaQuota(Unbuilt, OctaviaType):
    """Limits of what a project may have in the load balancing service."""

    name = "OS::Octavia::Quota"
    support = Support(version="14.0.0")
    entity = "quotas"

    properties: ClassVar[Mapping[str, Prop]] = {
        "project": Prop.string(required=True, constraints=[Custom("keystone.project")]),
        "healthmonitor": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "listener": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "loadbalancer": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "pool": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "member": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["project"], "keystone", "get_project_id"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        some_limit(props, sorted(self.properties.keys() - {"project"}))
