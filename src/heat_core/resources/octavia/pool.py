"""OS::Octavia::Pool: members that connections are spread over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    CacheMode,
    Custom,
    Kind,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import at_least_one, refuse
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class Pool(Unbuilt, OctaviaType):
    """Members that connections are spread over."""

    name = "OS::Octavia::Pool"
    support = Support(version="10.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "description": Prop.string(default="", update_allowed=True),
        "session_persistence": Prop.map(
            update_allowed=True,
            schema={
                "type": Prop.string(
                    required=True,
                    constraints=[AllowedValues(["SOURCE_IP", "HTTP_COOKIE", "APP_COOKIE"])],
                ),
                "cookie_name": Prop.string(),
            },
        ),
        "name": Prop.string(update_allowed=True),
        "lb_algorithm": Prop.string(
            required=True,
            update_allowed=True,
            constraints=[
                AllowedValues(["ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP", "SOURCE_IP_PORT"])
            ],
        ),
        "listener": Prop.string(constraints=[Custom("octavia.listener")]),
        "loadbalancer": Prop.string(constraints=[Custom("octavia.loadbalancer")]),
        "protocol": Prop.string(
            required=True,
            constraints=[
                AllowedValues(["TCP", "HTTP", "HTTPS", "TERMINATED_HTTPS", "PROXY", "UDP"])
            ],
        ),
        "tls_enabled": Prop.boolean(
            default=False, update_allowed=True, support=Support(version="14.0.0")
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "healthmonitor_id": Attr(kind=Kind.STRING),
        "listeners": Attr(kind=Kind.STRING),
        "members": Attr(kind=Kind.LIST, cache=CacheMode.NONE),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["listener"], "octavia", "get_listener"),
            rule.resolve(["loadbalancer"], "octavia", "get_loadbalancer"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        at_least_one(props, "listener", "loadbalancer")
        persistence = props["session_persistence"]
        if persistence is None:
            return
        if persistence["type"] == "APP_COOKIE" and not persistence["cookie_name"]:
            refuse(
                "Property cookie_name is required when session_persistence type is set to "
                "APP_COOKIE."
            )
        if persistence["type"] == "SOURCE_IP" and persistence["cookie_name"]:
            refuse(
                "Property cookie_name must NOT be specified when session_persistence type is "
                "set to SOURCE_IP."
            )
