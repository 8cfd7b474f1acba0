"""OS::Heat::SoftwareDeploymentGroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.heat.deployment_properties import ACTIONS, SIGNAL_TRANSPORT
from heat_core.resources.unbuilt import Unbuilt


class SoftwareDeploymentGroup(Unbuilt):
    name = "OS::Heat::SoftwareDeploymentGroup"
    support = Support(version="5.0.0")
    needs_stored_credentials = True
    has_nested_stack = True
    has_open_attributes = True
    announced = frozenset({"adopt", "check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "servers": Prop.map(required=True, update_allowed=True),
        "config": Prop.string(update_allowed=True),
        "input_values": Prop.map(update_allowed=True),
        "actions": ACTIONS,
        "name": Prop.string(update_allowed=True),
        "signal_transport": SIGNAL_TRANSPORT,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "deploy_stdouts": Attr(kind=Kind.MAP),
        "deploy_stderrs": Attr(kind=Kind.MAP),
        "deploy_status_codes": Attr(kind=Kind.MAP),
    }
    update_policy: ClassVar[Mapping[str, Prop]] = {
        "rolling_update": Prop.map(
            schema={
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
            support=Support(version="7.0.0"),
        ),
        "batch_create": Prop.map(
            schema={
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
            support=Support(version="7.0.0"),
        ),
    }
