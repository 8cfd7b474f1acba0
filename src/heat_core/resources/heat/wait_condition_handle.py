"""OS::Heat::WaitConditionHandle: where servers send the signals that a wait condition waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    CacheMode,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt


class HeatWaitConditionHandle(Unbuilt):
    """Where servers send the signals that a wait condition waits for."""

    name = "OS::Heat::WaitConditionHandle"
    support = Support(version="2014.2")
    needs_stored_credentials = True
    takes_signals = True
    announced = frozenset({"resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "signal_transport": Prop.string(
            "How a signal reaches the handle.",
            default="TOKEN_SIGNAL",
            constraints=[
                AllowedValues(
                    [
                        "CFN_SIGNAL",
                        "TEMP_URL_SIGNAL",
                        "HEAT_SIGNAL",
                        "NO_SIGNAL",
                        "ZAQAR_SIGNAL",
                        "TOKEN_SIGNAL",
                    ]
                )
            ],
            support=Support(version="6.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "token": Attr(
            description="Token that goes with a signal to the endpoint.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
        "endpoint": Attr(
            description="URL of the signal call.", kind=Kind.STRING, cache=CacheMode.NONE
        ),
        "curl_cli": Attr(
            description="Command that signals success, data to be added.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
        "signal": Attr(
            description="All that the chosen transport needs, as JSON.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
    }
