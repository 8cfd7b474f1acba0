"""OS::Neutron::RouterInterface: connects a router with a subnet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Rule,
    Support,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import at_least_one, not_both
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class RouterInterface(Unbuilt, NeutronType):
    """Connects a router with a subnet."""

    name = "OS::Neutron::RouterInterface"
    required_extension = "router"

    properties: ClassVar[Mapping[str, Prop]] = {
        "router": Prop.string(
            "Name or id of the router.", required=True, constraints=[Custom("neutron.router")]
        ),
        "router_id": Prop.string(
            "Id of the router.",
            constraints=[Custom("neutron.router")],
            support=hidden(
                "6.0.0",
                previous=deprecated(
                    "2015.1", "Replaced by router.", previous=Support(version="2013.1")
                ),
            ),
        ),
        "subnet_id": Prop.string(
            "Id of the subnet.",
            constraints=[Custom("neutron.subnet")],
            support=hidden("5.0.0", "Replaced by subnet.", previous=deprecated("2014.2")),
        ),
        "subnet": Prop.string("Name or id of the subnet.", constraints=[Custom("neutron.subnet")]),
        "port_id": Prop.string(
            "Id of an existing port to use.",
            constraints=[Custom("neutron.port")],
            support=hidden(
                "6.0.0",
                previous=deprecated(
                    "2015.1", "Replaced by port.", previous=Support(version="2014.1")
                ),
            ),
        ),
        "port": Prop.string(
            "Name or id of an existing port to use.",
            constraints=[Custom("neutron.port")],
            support=Support(version="2015.1"),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["port"], value_path=["port_id"]),
            rule.replace(["router"], value_path=["router_id"]),
            rule.replace(["subnet"], value_path=["subnet_id"]),
            rule.resolve(["port"], "neutron", "find_resourceid_by_name_or_id", "port"),
            rule.resolve(["router"], "neutron", "find_resourceid_by_name_or_id", "router"),
            rule.resolve(["subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        not_both(props, "subnet", "port")
        at_least_one(props, "subnet", "port")
