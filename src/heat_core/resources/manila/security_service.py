"""OS::Manila::SecurityService."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Prop,
    Support,
)
from heat_core.resources.manila.manila_type import ManilaType
from heat_core.resources.unbuilt import Unbuilt


class SecurityService(Unbuilt, ManilaType):
    """A directory service that shares ask who somebody is."""

    name = "OS::Manila::SecurityService"
    support = Support(version="5.0.0")
    entity = "security_services"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "type": Prop.string(
            required=True, constraints=[AllowedValues(["ldap", "kerberos", "active_directory"])]
        ),
        "dns_ip": Prop.string(update_allowed=True),
        "server": Prop.string(update_allowed=True),
        "domain": Prop.string(update_allowed=True),
        "user": Prop.string(update_allowed=True),
        "password": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
    }
