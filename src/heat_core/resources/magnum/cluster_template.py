"""OS::Magnum::ClusterTemplate: what clusters are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.magnum.magnum_type import MagnumType
from heat_core.resources.unbuilt import Unbuilt

_VOLUME_DRIVERS: Mapping[str, list[str]] = {
    "kubernetes": ["cinder"],
    "swarm": ["rexray"],
    "mesos": ["rexray"],
}
"""what orchestrates the containers -> the volume drivers that it can use"""


class ClusterTemplate(Unbuilt, MagnumType):
    """What clusters are made from."""

    name = "OS::Magnum::ClusterTemplate"
    support = Support(version="9.0.0")
    entity = "cluster_templates"
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "image": Prop.string(required=True, constraints=[Custom("glance.image")]),
        "flavor": Prop.string(constraints=[Custom("nova.flavor")]),
        "master_flavor": Prop.string(constraints=[Custom("nova.flavor")]),
        "keypair": Prop.string(constraints=[Custom("nova.keypair")]),
        "external_network": Prop.string(required=True, constraints=[Custom("neutron.network")]),
        "fixed_network": Prop.string(constraints=[Custom("neutron.network")]),
        "fixed_subnet": Prop.string(constraints=[Custom("neutron.subnet")]),
        "dns_nameserver": Prop.string(constraints=[Custom("ip_addr")]),
        "docker_volume_size": Prop.integer(constraints=[Range(1)]),
        "docker_storage_driver": Prop.string(
            default="devicemapper", constraints=[AllowedValues(["devicemapper", "overlay"])]
        ),
        "coe": Prop.string(
            required=True, constraints=[AllowedValues(["kubernetes", "swarm", "mesos"])]
        ),
        "network_driver": Prop.string(),
        "volume_driver": Prop.string(constraints=[AllowedValues(["cinder", "rexray"])]),
        "http_proxy": Prop.string(),
        "https_proxy": Prop.string(),
        "no_proxy": Prop.string(),
        "labels": Prop.map(),
        "tls_disabled": Prop.boolean(default=False),
        "public": Prop.boolean(default=False, update_allowed=True),
        "registry_enabled": Prop.boolean(default=False),
        "server_type": Prop.string(default="vm", constraints=[AllowedValues(["vm", "bm"])]),
        "master_lb_enabled": Prop.boolean(default=True),
        "floating_ip_enabled": Prop.boolean(default=True),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(
                ["external_network"], "neutron", "find_resourceid_by_name_or_id", "network"
            ),
            rule.resolve(["fixed_network"], "neutron", "find_resourceid_by_name_or_id", "network"),
            rule.resolve(["fixed_subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        driver, supported = props["volume_driver"], _VOLUME_DRIVERS[props["coe"]]
        if driver is not None and driver not in supported:
            refuse(
                f"Volume driver type {driver} is not supported by COE:{props['coe']}, "
                f"expecting a {supported} volume driver."
            )
