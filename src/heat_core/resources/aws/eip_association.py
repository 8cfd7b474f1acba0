"""AWS::EC2::EIPAssociation: binds an address outside to an instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import (
    PropertyUnspecifiedError,
)
from heat_core.properties import (
    Custom,
    Prop,
)
from heat_core.resources.contract import Change
from heat_core.resources.demands import refuse
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class ElasticIpAssociation(Unbuilt, NovaType):
    """Binds an address outside to an instance."""

    name = "AWS::EC2::EIPAssociation"

    properties: ClassVar[Mapping[str, Prop]] = {
        "InstanceId": Prop.string(update_allowed=True, constraints=[Custom("nova.server")]),
        "EIP": Prop.string(update_allowed=True, constraints=[Custom("ip_addr")]),
        "AllocationId": Prop.string(update_allowed=True),
        "NetworkInterfaceId": Prop.string(update_allowed=True),
    }

    def needs_replace_with_prop_diff(self, change: Change) -> bool:
        """Another address for another instance or interface is another association."""
        new = change.difference
        return bool({"AllocationId", "EIP"} & new.keys()) and bool(
            new.get("InstanceId") or new.get("NetworkInterfaceId")
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        if bool(props["EIP"]) == bool(props["AllocationId"]):
            refuse("Either 'EIP' or 'AllocationId' must be provided.")
        if props["EIP"] and not props["InstanceId"]:
            refuse("Must specify 'InstanceId' if you specify 'EIP'.")
        if not props["InstanceId"] and not props["NetworkInterfaceId"]:
            raise PropertyUnspecifiedError("InstanceId", "NetworkInterfaceId")
