"""Properties that single deployments and groups of them have in common."""

from __future__ import annotations

from heat_core.properties import (
    AllowedValues,
    Prop,
)

ACTIONS = Prop.list(
    "Actions at which the config is applied.",
    default=["CREATE", "UPDATE"],
    update_allowed=True,
    constraints=[AllowedValues(["CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME"])],
)

SIGNAL_TRANSPORT = Prop.string(
    "How the server tells that it is done.",
    default="CFN_SIGNAL",
    constraints=[
        AllowedValues(["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL"])
    ],
)
