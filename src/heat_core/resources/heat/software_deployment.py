"""OS::Heat::SoftwareDeployment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.heat.deployment_properties import ACTIONS, SIGNAL_TRANSPORT
from heat_core.resources.heat.heat_type import HeatType
from heat_core.resources.unbuilt import Unbuilt


class SoftwareDeployment(Unbuilt, HeatType):
    """Applies a software config to a server, with values for its inputs."""

    name = "OS::Heat::SoftwareDeployment"
    support = Support(version="2014.1")
    entity = "software_deployments"
    needs_stored_credentials = True
    takes_signals = True
    has_open_attributes = True
    signal_updates_metadata = False
    no_signal_actions = ()
    announced = frozenset({"resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "config": Prop.string("Id of the config or component.", update_allowed=True),
        "server": Prop.string("Reference to the server.", required=True),
        "input_values": Prop.map("Values by input name.", update_allowed=True),
        "actions": ACTIONS,
        "name": Prop.string("Name of the deployment, seen on the server.", update_allowed=True),
        "signal_transport": SIGNAL_TRANSPORT,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "deploy_stdout": Attr(
            description="What the tool wrote to its standard output.", kind=Kind.STRING
        ),
        "deploy_stderr": Attr(
            description="What the tool wrote to its standard error.", kind=Kind.STRING
        ),
        "deploy_status_code": Attr(description="Exit status of the tool.", kind=Kind.STRING),
    }
