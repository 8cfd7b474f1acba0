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
        "config": Prop.string(update_allowed=True),
        "server": Prop.string(required=True),
        "input_values": Prop.map(update_allowed=True),
        "actions": ACTIONS,
        "name": Prop.string(update_allowed=True),
        "signal_transport": SIGNAL_TRANSPORT,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "deploy_stdout": Attr(kind=Kind.STRING),
        "deploy_stderr": Attr(kind=Kind.STRING),
        "deploy_status_code": Attr(kind=Kind.STRING),
    }
