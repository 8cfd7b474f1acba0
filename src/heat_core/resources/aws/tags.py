"""The tags of EC2 objects, which are taken and not used."""

from __future__ import annotations

from heat_core.properties import (
    Prop,
)

TAGS = Prop.list(
    schema=Prop.map(
        implemented=False,
        schema={"Key": Prop.string(required=True), "Value": Prop.string(required=True)},
    )
)
