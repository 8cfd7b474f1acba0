"""OS::Octavia::Listener."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class Listener(Unbuilt, OctaviaType):
    """A port of a load balancer that takes connections."""

    name = "OS::Octavia::Listener"
    support = Support(version="10.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "protocol_port": Prop.integer(required=True, constraints=[Range(1, 65535)]),
        "protocol": Prop.string(
            required=True,
            constraints=[
                AllowedValues(["TCP", "HTTP", "HTTPS", "TERMINATED_HTTPS", "PROXY", "UDP"])
            ],
        ),
        "loadbalancer": Prop.string(required=True, constraints=[Custom("octavia.loadbalancer")]),
        "default_pool": Prop.string(update_allowed=True, constraints=[Custom("octavia.pool")]),
        "name": Prop.string(update_allowed=True),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "description": Prop.string(default="", update_allowed=True),
        "default_tls_container_ref": Prop.string(update_allowed=True),
        "sni_container_refs": Prop.list(update_allowed=True),
        "connection_limit": Prop.integer(default=-1, update_allowed=True, constraints=[Range(-1)]),
        "tenant_id": Prop.string(),
        "allowed_cidrs": Prop.list(
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("net_cidr")]),
            support=Support(version="14.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "loadbalancers": Attr(kind=Kind.LIST),
        "default_pool_id": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["loadbalancer"], "octavia", "get_loadbalancer"),
            rule.resolve(["default_pool"], "octavia", "get_pool"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["protocol"] == "TERMINATED_HTTPS" and props["default_tls_container_ref"] is None:
            refuse("Property default_tls_container_ref required when protocol is TERMINATED_HTTPS.")
