"""OS::Nova::Flavor: sizes of servers: memory, processors, disks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class NovaFlavor(Unbuilt, NovaType):
    """Sizes of servers: memory, processors, disks."""

    name = "OS::Nova::Flavor"
    support = Support(version="2014.2")
    entity = "flavors"

    properties: ClassVar[Mapping[str, Prop]] = {
        "tenants": Prop.list(
            "Names or ids of the projects that may use a private flavor.",
            default=[],
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("keystone.project")]),
            support=Support(version="8.0.0"),
        ),
        "flavorid": Prop.string(
            "Id of the flavor; the service chooses one when absent.",
            support=Support(version="7.0.0"),
        ),
        "name": Prop.string("Name of the flavor.", support=Support(version="7.0.0")),
        "ram": Prop.integer("Memory in megabytes.", required=True),
        "vcpus": Prop.integer("Number of processors.", required=True),
        "disk": Prop.integer("Size of the root disk in gigabytes.", default=0),
        "swap": Prop.integer("Size of the swap disk in megabytes.", default=0),
        "ephemeral": Prop.integer("Size of the second disk in gigabytes.", default=0),
        "rxtx_factor": Prop.number(
            "Share of the network's bandwidth, where the service limits it.", default=1.0
        ),
        "extra_specs": Prop.map("Further demands on hosts, by key.", update_allowed=True),
        "is_public": Prop.boolean(
            "Whether every project may use the flavor.",
            default=True,
            support=Support(version="6.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "is_public": Attr(
            description="Whether every project may use the flavor.",
            kind=Kind.BOOLEAN,
            support=Support(version="6.0.0"),
        ),
        "extra_specs": Attr(
            description="Further demands on hosts, by key.",
            kind=Kind.MAP,
            support=Support(version="7.0.0"),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["tenants"], "keystone", "get_project_id"),)
