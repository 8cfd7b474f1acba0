"""Properties of ports that servers pass on to the ports they make."""

from __future__ import annotations

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Support,
)

ALLOWED_ADDRESS_PAIRS = Prop.list(
    "Further addresses that the port may send from.",
    update_allowed=True,
    schema=Prop.map(
        schema={
            "mac_address": Prop.string(
                "MAC address that may be sent from.", constraints=[Custom("mac_addr")]
            ),
            "ip_address": Prop.string(
                "IP address or network that may be sent from.",
                required=True,
                constraints=[Custom("ip_or_cidr")],
            ),
        }
    ),
)

VNIC_TYPE = Prop.string(
    "How the port is attached to the host's network.",
    default="normal",
    update_allowed=True,
    constraints=[
        AllowedValues(
            [
                "normal",
                "direct",
                "macvtap",
                "direct-physical",
                "baremetal",
                "virtio-forwarder",
                "smart-nic",
            ]
        )
    ],
    support=Support(version="2015.1"),
)
