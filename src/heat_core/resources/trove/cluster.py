"""OS::Trove::Cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Length,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import not_both, refuse
from heat_core.resources.trove.networks import NETWORK
from heat_core.resources.trove.trove_type import TroveType
from heat_core.resources.unbuilt import Unbuilt


class TroveCluster(Unbuilt, TroveType):
    """A cluster of databases."""

    name = "OS::Trove::Cluster"
    support = Support(version="2015.1")
    entity = "clusters"
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(constraints=[Length(max=255)]),
        "datastore_type": Prop.string(required=True, constraints=[Length(max=255)]),
        "datastore_version": Prop.string(required=True, constraints=[Length(max=255)]),
        "instances": Prop.list(
            required=True,
            schema=Prop.map(
                schema={
                    "flavor": Prop.string(required=True, constraints=[Custom("trove.flavor")]),
                    "volume_size": Prop.integer(required=True, constraints=[Range(1, 150)]),
                    "networks": Prop.list(
                        default=[], schema=NETWORK, support=Support(version="10.0.0")
                    ),
                    "availability_zone": Prop.string(support=Support(version="14.0.0")),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "instances": Attr(kind=Kind.LIST),
        "ip": Attr(kind=Kind.LIST),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(
                ["instances", "networks", "network"],
                "neutron",
                "find_resourceid_by_name_or_id",
                "network",
            ),
            rule.resolve(
                ["instances", "networks", "port"],
                "neutron",
                "find_resourceid_by_name_or_id",
                "port",
            ),
            rule.resolve(["instances", "flavor"], "trove", "find_flavor_by_name_or_id"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        for instance in props["instances"]:
            for network in instance["networks"]:
                if network["network"] is None and network["port"] is None:
                    refuse("Either network or port must be provided.")
                not_both(network, "network", "port")
