"""OS::Neutron::SubnetPool: ranges of addresses that subnets are cut from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Length,
    Prop,
    Range,
    Support,
)
from heat_core.resources.demands import refuse
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class SubnetPool(Unbuilt, NeutronType):
    """Ranges of addresses that subnets are cut from."""

    name = "OS::Neutron::SubnetPool"
    support = Support(version="6.0.0")
    required_extension = "subnet_allocation"
    entity = "subnetpool"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the pool.", update_allowed=True),
        "prefixes": Prop.list(
            "The ranges.",
            required=True,
            update_allowed=True,
            constraints=[Length(1)],
            schema=Prop.string(constraints=[Custom("net_cidr")]),
        ),
        "address_scope": Prop.string(
            "Name or id of the address scope.",
            update_allowed=True,
            constraints=[Custom("neutron.address_scope")],
        ),
        "default_quota": Prop.integer(
            "Most that a project may take from the pool.",
            update_allowed=True,
            constraints=[Range(0)],
        ),
        "default_prefixlen": Prop.integer(
            "Length of a prefix that does not say how long it should be.",
            update_allowed=True,
            constraints=[Range(0)],
        ),
        "min_prefixlen": Prop.integer(
            "Length of the shortest prefix.", update_allowed=True, constraints=[Range(0)]
        ),
        "max_prefixlen": Prop.integer(
            "Length of the longest prefix.", update_allowed=True, constraints=[Range(0)]
        ),
        "is_default": Prop.boolean(
            "Whether subnets that name no pool come from this one.",
            default=False,
            update_allowed=True,
        ),
        "tenant_id": Prop.string("Id of the project that owns the pool; for administrators."),
        "shared": Prop.boolean("Whether all projects may use the pool.", default=False),
        "tags": Prop.list(
            "Tags of the pool.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="9.0.0"),
        ),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        least, usual, most = (props[f"{which}_prefixlen"] for which in ("min", "default", "max"))
        for (high_name, high), (low_name, low) in (
            (("max", most), ("min", least)),
            (("max", most), ("default", usual)),
            (("default", usual), ("min", least)),
        ):
            if high and low and low > high:
                # The longest prefix is named first, but where the shortest is the culprit.
                first, second = (high_name, high), (low_name, low)
                if high_name == "default":
                    first, second = second, first
                refuse(
                    f"Illegal prefix bounds: {first[0]}_prefixlen={first[1]}, "
                    f"{second[0]}_prefixlen={second[1]}."
                )
