"""How database instances are attached to networks."""

from __future__ import annotations

from heat_core.properties import (
    Custom,
    Prop,
)

NETWORK = Prop.map(
    schema={
        "network": Prop.string(constraints=[Custom("neutron.network")]),
        "port": Prop.string(constraints=[Custom("neutron.port")]),
        "fixed_ip": Prop.string(constraints=[Custom("ip_addr")]),
    }
)
