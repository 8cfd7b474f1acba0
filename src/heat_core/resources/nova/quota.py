"""OS::Nova::Quota: limits of what a project may have in the compute service; -1 is no limit."""

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
    deprecated,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import some_limit
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class NovaQuota(Unbuilt, NovaType):
    """Limits of what a project may have in the compute service; -1 is no limit."""

    name = "OS::Nova::Quota"
    support = Support(version="8.0.0")
    entity = "quotas"

    properties: ClassVar[Mapping[str, Prop]] = {
        "project": Prop.string(
            "Name or id of the project.", required=True, constraints=[Custom("keystone.project")]
        ),
        "cores": Prop.integer("Most processors.", update_allowed=True, constraints=[Range(-1)]),
        "fixed_ips": Prop.integer(
            "Most fixed addresses.", update_allowed=True, constraints=[Range(-1)]
        ),
        "floating_ips": Prop.integer(
            "Most floating addresses.", update_allowed=True, constraints=[Range(-1)]
        ),
        "instances": Prop.integer("Most servers.", update_allowed=True, constraints=[Range(-1)]),
        "injected_files": Prop.integer(
            "Most files put into a server.",
            update_allowed=True,
            constraints=[Range(-1)],
            support=deprecated("14.0.0", "The service is giving up the injection of files."),
        ),
        "injected_file_content_bytes": Prop.integer(
            "Most bytes of a file put into a server.",
            update_allowed=True,
            constraints=[Range(-1)],
            support=deprecated("14.0.0", "The service is giving up the injection of files."),
        ),
        "injected_file_path_bytes": Prop.integer(
            "Most bytes of the path of such a file.",
            update_allowed=True,
            constraints=[Range(-1)],
            support=deprecated("14.0.0", "The service is giving up the injection of files."),
        ),
        "key_pairs": Prop.integer(
            "Most key pairs a user.", update_allowed=True, constraints=[Range(-1)]
        ),
        "metadata_items": Prop.integer(
            "Most metadata items a server.", update_allowed=True, constraints=[Range(-1)]
        ),
        "ram": Prop.integer(
            "Most megabytes of memory.", update_allowed=True, constraints=[Range(-1)]
        ),
        "security_groups": Prop.integer(
            "Most security groups.", update_allowed=True, constraints=[Range(-1)]
        ),
        "security_group_rules": Prop.integer(
            "Most rules a security group.", update_allowed=True, constraints=[Range(-1)]
        ),
        "server_groups": Prop.integer(
            "Most server groups.", update_allowed=True, constraints=[Range(-1)]
        ),
        "server_group_members": Prop.integer(
            "Most servers a server group.", update_allowed=True, constraints=[Range(-1)]
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["project"], "keystone", "get_project_id"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        some_limit(props, sorted(self.properties.keys() - {"project"}))
