"""OS::Designate::RecordSet: records of one name and type in a DNS zone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Length,
    Prop,
    Range,
    Support,
)
from heat_core.resources.designate.designate_type import DesignateType
from heat_core.resources.unbuilt import Unbuilt


class DesignateRecordSet(Unbuilt, DesignateType):
    """Records of one name and type in a DNS zone."""

    name = "OS::Designate::RecordSet"
    support = Support(version="8.0.0")
    entity = "recordsets"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(constraints=[Length(max=255)]),
        "ttl": Prop.integer(update_allowed=True, constraints=[Range(1, 2147483647)]),
        "description": Prop.string(update_allowed=True, constraints=[Length(max=160)]),
        "type": Prop.string(
            required=True,
            constraints=[
                AllowedValues(
                    [
                        "A",
                        "AAAA",
                        "CNAME",
                        "MX",
                        "SRV",
                        "TXT",
                        "SPF",
                        "NS",
                        "PTR",
                        "SSHFP",
                        "SOA",
                        "CAA",
                        "CERT",
                        "NAPTR",
                    ]
                )
            ],
        ),
        "records": Prop.list(required=True, update_allowed=True),
        "zone": Prop.string(required=True, constraints=[Custom("designate.zone")]),
    }
