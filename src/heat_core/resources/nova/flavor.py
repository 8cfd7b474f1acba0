"""OS::Nova::Flavor."""

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
    name = "OS::Nova::Flavor"
    support = Support(version="2014.2")
    entity = "flavors"

    properties: ClassVar[Mapping[str, Prop]] = {
        "tenants": Prop.list(
            default=[],
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("keystone.project")]),
            support=Support(version="8.0.0"),
        ),
        "flavorid": Prop.string(support=Support(version="7.0.0")),
        "name": Prop.string(support=Support(version="7.0.0")),
        "ram": Prop.integer(required=True),
        "vcpus": Prop.integer(required=True),
        "disk": Prop.integer(default=0),
        "swap": Prop.integer(default=0),
        "ephemeral": Prop.integer(default=0),
        "rxtx_factor": Prop.number(default=1.0),
        "extra_specs": Prop.map(update_allowed=True),
        "is_public": Prop.boolean(default=True, support=Support(version="6.0.0")),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "is_public": Attr(kind=Kind.BOOLEAN, support=Support(version="6.0.0")),
        "extra_specs": Attr(kind=Kind.MAP, support=Support(version="7.0.0")),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["tenants"], "keystone", "get_project_id"),)
