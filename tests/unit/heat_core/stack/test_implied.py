"""Requirements that types add; dependencies.jsonl has more of them."""

from __future__ import annotations

from typing import Any

import pytest

from heat_core.environment import Environment
from heat_core.stack import StackDefinition
from heat_core.template import Template

NET = {"type": "OS::Neutron::Net"}


def subnet(of: str = "net") -> dict[str, Any]:
    properties = {"network": {"get_resource": of}, "cidr": "10.0.0.0/24"}
    return {"type": "OS::Neutron::Subnet", "properties": properties}


def requires(resources: dict[str, Any], environment: dict[str, Any] | None = None) -> Any:
    document = {"heat_template_version": "2018-08-31", "resources": resources}
    template = Template(document, environment=Environment.from_dict(environment or {}))
    definition = StackDefinition.build(template, stack_name="s", project_id="p")
    return {name: sorted(names) for name, names in definition.requires.items()}


def of_type(type_name: str, **properties: Any) -> dict[str, Any]:
    return {"type": type_name, "properties": properties}


def test_a_type_as_the_environment_maps_it() -> None:
    port = of_type("My::Port", network={"get_resource": "net"})
    environment = {"resource_registry": {"My::Port": "OS::Neutron::Port"}}

    found = requires({"net": NET, "sub": subnet(), "port": port}, environment)

    assert found["port"] == ["net", "sub"]


def test_a_mistake_makes_no_requirement() -> None:
    port = of_type("OS::Neutron::Port")
    server = of_type("OS::Nova::Server", flavor="f", networks="x")
    unknown = {"type": "OS::No::Such"}

    found = requires({"sub": subnet(), "net": NET, "p": port, "s": server, "u": unknown})

    assert found == {"sub": ["net"], "net": [], "p": [], "s": [], "u": []}


def test_properties_that_are_one_call() -> None:
    port = {
        "type": "OS::Neutron::Port",
        "properties": {"map_merge": [{"network": {"get_resource": "net"}}]},
    }

    assert requires({"net": NET, "sub": subnet(), "port": port})["port"] == ["net", "sub"]


@pytest.mark.parametrize(
    ("resource", "needed"),
    [
        (of_type("OS::Neutron::Router", external_gateway_info={"network": "net"}), ["sub"]),
        (of_type("OS::Neutron::Router"), []),
        (of_type("OS::Neutron::RouterGateway", router_id="router", network="net"), ["rif", "sub"]),
        (
            of_type(
                "OS::Neutron::ExtraRoute",
                router_id="router",
                destination="10.1.0.0/24",
                nexthop="10.0.0.9",
            ),
            ["gw", "rif"],
        ),
        (of_type("OS::Neutron::ExtraRouteSet", router="router", routes=[]), ["rif"]),
        (of_type("OS::Neutron::FloatingIP", floating_network="outside"), ["gw"]),
        (
            of_type(
                "OS::Neutron::FloatingIP", floating_network="x", port_id={"get_resource": "port"}
            ),
            ["port", "rif"],
        ),
        (
            of_type(
                "OS::Neutron::FloatingIPAssociation",
                floatingip_id="f",
                port_id={"get_resource": "port"},
            ),
            ["port", "rif"],
        ),
        (of_type("OS::Nova::Server", flavor="f", networks=[{"network": "net"}]), ["sub"]),
        (of_type("OS::Nova::Server", flavor="f", networks=[{"port": "p"}]), ["sub"]),
        (of_type("OS::Nova::Server", flavor="f", networks=[{"network": "other"}]), []),
    ],
)
def test_what_types_wait_for(resource: dict[str, Any], needed: list[str]) -> None:
    around = {
        "net": NET,
        "sub": of_type("OS::Neutron::Subnet", network="net", cidr="10.0.0.0/24"),
        "rif": of_type("OS::Neutron::RouterInterface", router="router", subnet="sub"),
        "gw": of_type("OS::Neutron::RouterGateway", router_id="router", network="outside"),
        "port": of_type("OS::Neutron::Port", network="net", fixed_ips=[{"subnet": "sub"}]),
    }

    assert requires({**around, "one": resource})["one"] == needed


def test_route_tables_come_before_the_gateway_s_attachment() -> None:
    table = of_type("AWS::EC2::RouteTable", VpcId="v")
    other = of_type("AWS::EC2::RouteTable", VpcId="w")
    attachment = of_type("AWS::EC2::VPCGatewayAttachment", VpcId="v", InternetGatewayId="g")

    assert requires({"t": table, "o": other, "a": attachment})["a"] == ["t"]
