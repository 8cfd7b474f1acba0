"""OS::Keystone::Service: an entry of the catalog of services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.keystone.keystone_type import KeystoneType
from heat_core.resources.unbuilt import Unbuilt


class KeystoneService(Unbuilt, KeystoneType):
    """An entry of the catalog of services."""

    name = "OS::Keystone::Service"
    support = Support(version="5.0.0", message="Works with version 3 of the identity API.")
    entity = "services"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "type": Prop.string(required=True, update_allowed=True),
        "enabled": Prop.boolean(
            default=True, update_allowed=True, support=Support(version="6.0.0")
        ),
    }
