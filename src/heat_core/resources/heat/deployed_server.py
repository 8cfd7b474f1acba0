"""OS::Heat::DeployedServer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    CacheMode,
    Kind,
    Prop,
    Support,
    deprecated,
)
from heat_core.resources.heat.heat_type import HeatType
from heat_core.resources.nova.server_properties import (
    DEPLOYMENT_SWIFT_DATA,
    SOFTWARE_CONFIG_TRANSPORT,
)
from heat_core.resources.unbuilt import Unbuilt


class DeployedServer(Unbuilt, HeatType):
    """A server that runs already and takes software deployments like a created one."""

    name = "OS::Heat::DeployedServer"
    entity = "servers"
    physical_name_limit = 53
    announced = frozenset({"resume", "snapshot_delete", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the server.", update_allowed=True),
        "metadata": Prop.map(
            "Further data of the server.",
            update_allowed=True,
            support=deprecated("9.0.0", "Has no effect.", previous=Support(version="8.0.0")),
        ),
        "software_config_transport": SOFTWARE_CONFIG_TRANSPORT,
        "deployment_swift_data": DEPLOYMENT_SWIFT_DATA,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(description="Name of the server.", kind=Kind.STRING),
        "os_collect_config": Attr(
            description="What os-collect-config on the server needs to ask for its deployments.",
            kind=Kind.MAP,
            cache=CacheMode.NONE,
            support=Support(version="9.0.0"),
        ),
    }
