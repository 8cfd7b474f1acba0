"""OS::Zun::Container."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyConflict,
)
from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import at_least_one, refuse
from heat_core.resources.unbuilt import Unbuilt
from heat_core.resources.zun.zun_type import ZunType


class Container(Unbuilt, ZunType):
    """A container."""

    name = "OS::Zun::Container"
    support = Support(version="9.0.0")
    entity = "containers"
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "image": Prop.string(required=True),
        "command": Prop.string(),
        "cpu": Prop.number(update_allowed=True),
        "memory": Prop.integer(update_allowed=True),
        "environment": Prop.map(),
        "workdir": Prop.string(),
        "labels": Prop.map(),
        "image_pull_policy": Prop.string(
            constraints=[AllowedValues(["ifnotpresent", "always", "never"])]
        ),
        "restart_policy": Prop.string(),
        "interactive": Prop.boolean(),
        "tty": Prop.boolean(support=Support(version="14.0.0")),
        "image_driver": Prop.string(constraints=[AllowedValues(["docker", "glance"])]),
        "hints": Prop.map(support=Support(version="10.0.0")),
        "hostname": Prop.string(support=Support(version="10.0.0")),
        "security_groups": Prop.list(default=[], support=Support(version="10.0.0")),
        "mounts": Prop.list(
            schema=Prop.map(
                schema={
                    "volume_id": Prop.string(constraints=[Custom("cinder.volume")]),
                    "volume_size": Prop.integer(),
                    "mount_path": Prop.string(required=True),
                }
            )
        ),
        "networks": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "network": Prop.string(constraints=[Custom("neutron.network")]),
                    "fixed_ip": Prop.string(constraints=[Custom("ip_addr")]),
                    "port": Prop.string(constraints=[Custom("neutron.port")]),
                }
            ),
            support=Support(version="11.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING),
        "addresses": Attr(kind=Kind.MAP),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(
                ["networks", "network"], "neutron", "find_resourceid_by_name_or_id", "network"
            ),
            rule.resolve(["networks", "port"], "neutron", "find_resourceid_by_name_or_id", "port"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        policy = props["restart_policy"]
        if policy and not _is_restart_policy(policy):
            refuse(
                f'restart_policy "{policy}" is invalid. Valid values are "no", '
                '"on-failure[:max-retry]", "always", and "unless-stopped".'
            )
        for mount in props["mounts"] or ():
            if mount["volume_id"] is None and mount["volume_size"] is None:
                refuse(
                    'One of the properties "volume_id" or "volume_size" should be set for the '
                    f'specified mount of container "{self.view.name}".'
                )
        for network in props["networks"] or ():
            at_least_one(network, "network", "port")
            if network["fixed_ip"] and network["port"] is not None:
                raise ResourcePropertyConflict("networks.fixed_ip", "networks.port")


def _is_restart_policy(policy: str) -> bool:
    name, colon, _ = policy.partition(":")
    return name == "on-failure" or (not colon and name in ("always", "unless-stopped", "no"))
