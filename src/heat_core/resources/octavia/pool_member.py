"""OS::Octavia::PoolMember."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class PoolMember(Unbuilt, OctaviaType):
    """A server behind a load balancer."""

    name = "OS::Octavia::PoolMember"
    support = Support(version="10.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "pool": Prop.string(required=True, constraints=[Custom("octavia.pool")]),
        "address": Prop.string(required=True, constraints=[Custom("ip_addr")]),
        "protocol_port": Prop.integer(required=True, constraints=[Range(1, 65535)]),
        "monitor_address": Prop.string(constraints=[Custom("ip_addr")]),
        "monitor_port": Prop.integer(constraints=[Range(1, 65535)]),
        "weight": Prop.integer(default=1, update_allowed=True, constraints=[Range(0, 256)]),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "subnet": Prop.string(constraints=[Custom("neutron.subnet")]),
        "tags": Prop.list(update_allowed=True, support=Support(version="13.0.0")),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"),
            rule.resolve(["pool"], "octavia", "get_pool"),
        )
