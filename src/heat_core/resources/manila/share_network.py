"""OS::Manila::ShareNetwork: the network that shares are reached in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyDependency,
)
from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Rule,
    Support,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.manila.manila_type import ManilaType
from heat_core.resources.unbuilt import Unbuilt


class ManilaShareNetwork(Unbuilt, ManilaType):
    """The network that shares are reached in."""

    name = "OS::Manila::ShareNetwork"
    support = Support(version="5.0.0")
    entity = "share_networks"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "neutron_network": Prop.string(
            update_allowed=True, constraints=[Custom("neutron.network")]
        ),
        "neutron_subnet": Prop.string(update_allowed=True, constraints=[Custom("neutron.subnet")]),
        "nova_network": Prop.string(
            update_allowed=True,
            support=hidden("21.0.0", "The networks of the compute service are gone."),
        ),
        "description": Prop.string(update_allowed=True),
        "security_services": Prop.list(default=[], update_allowed=True, schema=Prop.string()),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "segmentation_id": Attr(kind=Kind.STRING),
        "cidr": Attr(kind=Kind.STRING),
        "ip_version": Attr(kind=Kind.STRING),
        "network_type": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(
                ["neutron_network"], "neutron", "find_resourceid_by_name_or_id", "network"
            ),
            rule.resolve(["neutron_subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["nova_network"]:
            refuse("Nova network is no longer supported")
        if props["neutron_network"] and not props["neutron_subnet"]:
            raise ResourcePropertyDependency(prop1="neutron_network", prop2="neutron_subnet")
