"""OS::Manila::ShareType."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.manila.manila_type import ManilaType
from heat_core.resources.unbuilt import Unbuilt


class ManilaShareType(Unbuilt, ManilaType):
    """A kind of shares."""

    name = "OS::Manila::ShareType"
    support = Support(version="5.0.0")
    entity = "share_types"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(required=True),
        "is_public": Prop.boolean(default=True),
        "driver_handles_share_servers": Prop.boolean(required=True),
        "extra_specs": Prop.map(update_allowed=True),
        "snapshot_support": Prop.boolean(default=True, support=Support(version="6.0.0")),
    }
