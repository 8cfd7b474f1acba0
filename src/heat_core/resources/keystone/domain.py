"""OS::Keystone::Domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.keystone.keystone_type import KeystoneType
from heat_core.resources.unbuilt import Unbuilt


class KeystoneDomain(Unbuilt, KeystoneType):
    """A domain: the outermost container of users and projects."""

    name = "OS::Keystone::Domain"
    support = Support(version="8.0.0", message="Works with version 3 of the identity API.")
    entity = "domains"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "enabled": Prop.boolean(default=True, update_allowed=True),
    }
