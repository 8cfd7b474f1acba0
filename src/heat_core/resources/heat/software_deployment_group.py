"""OS::Heat::SoftwareDeploymentGroup: applies one software config to many servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.heat.deployment_properties import ACTIONS
from heat_core.resources.unbuilt import Unbuilt


class SoftwareDeploymentGroup(Unbuilt):
    """Applies one software config to many servers."""

    name = "OS::Heat::SoftwareDeploymentGroup"
    support = Support(version="5.0.0")
    needs_stored_credentials = True
    has_nested_stack = True
    has_open_attributes = True
    announced = frozenset({"adopt", "check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "servers": Prop.map(
            "References to the servers, by name.", required=True, update_allowed=True
        ),
        "config": Prop.string("Id of the config or component.", update_allowed=True),
        "input_values": Prop.map(
            "Values by input name, the same for all servers.", update_allowed=True
        ),
        "actions": ACTIONS,
        "name": Prop.string("Name of every deployment, seen on the server.", update_allowed=True),
        "signal_transport": Prop.string(
            "How the servers tell that they are done.",
            default="CFN_SIGNAL",
            constraints=[
                AllowedValues(
                    ["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL"]
                )
            ],
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "deploy_stdouts": Attr(
            description="Standard output of each server, by name.", kind=Kind.MAP
        ),
        "deploy_stderrs": Attr(
            description="Standard error of each server, by name.", kind=Kind.MAP
        ),
        "deploy_status_codes": Attr(
            description="Exit status of each server, by name.", kind=Kind.MAP
        ),
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
