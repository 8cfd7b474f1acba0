"""Properties of everything that software can be deployed to."""

from __future__ import annotations

from heat_core.properties import (
    AllowedValues,
    Length,
    Prop,
    Support,
)

DEPLOYMENT_SWIFT_DATA = Prop.map(
    "Object whose temporary URL carries the deployments.",
    default={},
    update_allowed=True,
    schema={
        "container": Prop.string("Name of the container.", constraints=[Length(1)]),
        "object": Prop.string("Name of the object.", constraints=[Length(1)]),
    },
    support=Support(version="9.0.0"),
)

SOFTWARE_CONFIG_TRANSPORT = Prop.string(
    "How the server learns of its deployments.",
    default="POLL_SERVER_CFN",
    update_allowed=True,
    constraints=[
        AllowedValues(["POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE"])
    ],
)
