"""OS::Octavia::HealthMonitor: looks whether the members of a pool work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

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
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class HealthMonitor(Unbuilt, OctaviaType):
    """Looks whether the members of a pool work."""

    name = "OS::Octavia::HealthMonitor"
    support = Support(version="10.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "delay": Prop.integer(required=True, update_allowed=True, constraints=[Range(0)]),
        "expected_codes": Prop.string(update_allowed=True),
        "http_method": Prop.string(
            update_allowed=True,
            constraints=[
                AllowedValues(
                    ["GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "CONNECT", "PATCH"]
                )
            ],
        ),
        "max_retries": Prop.integer(required=True, update_allowed=True, constraints=[Range(1, 10)]),
        "pool": Prop.string(required=True, constraints=[Custom("octavia.pool")]),
        "timeout": Prop.integer(required=True, update_allowed=True, constraints=[Range(0)]),
        "type": Prop.string(
            required=True,
            constraints=[AllowedValues(["PING", "TCP", "HTTP", "HTTPS", "UDP-CONNECT"])],
        ),
        "url_path": Prop.string(update_allowed=True),
        "tenant_id": Prop.string(),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "pools": Attr(kind=Kind.LIST),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["pool"], "octavia", "get_pool"),)
