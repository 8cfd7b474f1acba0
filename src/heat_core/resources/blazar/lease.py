"""OS::Blazar::Lease: reservations of resources for a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedPattern,
    AllowedValues,
    Attr,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.blazar.blazar_type import BlazarType
from heat_core.resources.unbuilt import Unbuilt


class Lease(Unbuilt, BlazarType):
    """Reservations of resources for a time."""

    name = "OS::Blazar::Lease"
    support = Support(version="12.0.0")
    entity = "lease"
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(required=True),
        "start_date": Prop.string(
            required=True, constraints=[AllowedPattern("\\d{4}-\\d{2}-\\d{2}\\s\\d{2}:\\d{2}")]
        ),
        "end_date": Prop.string(
            required=True, constraints=[AllowedPattern("\\d{4}-\\d{2}-\\d{2}\\s\\d{2}:\\d{2}")]
        ),
        "before_end_date": Prop.string(
            constraints=[AllowedPattern("\\d{4}-\\d{2}-\\d{2}\\s\\d{2}:\\d{2}")]
        ),
        "reservations": Prop.list(
            required=True,
            schema=Prop.map(
                schema={
                    "resource_type": Prop.string(
                        required=True,
                        constraints=[AllowedValues(["virtual:instance", "physical:host"])],
                    ),
                    "min": Prop.integer(constraints=[Range(1)]),
                    "max": Prop.integer(constraints=[Range(1)]),
                    "hypervisor_properties": Prop.string(),
                    "resource_properties": Prop.string(),
                    "before_end": Prop.string(
                        default="default", constraints=[AllowedValues(["default", "snapshot"])]
                    ),
                    "amount": Prop.integer(constraints=[Range(0, 2147483647)]),
                    "vcpus": Prop.integer(constraints=[Range(0, 2147483647)]),
                    "memory_mb": Prop.integer(constraints=[Range(0, 2147483647)]),
                    "disk_gb": Prop.integer(constraints=[Range(0, 2147483647)]),
                    "affinity": Prop.boolean(default=False),
                }
            ),
        ),
        "events": Prop.list(
            default=[],
            schema=Prop.map(
                schema={
                    "event_type": Prop.string(required=True),
                    "time": Prop.string(required=True),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING),
        "start_date": Attr(kind=Kind.STRING),
        "end_date": Attr(kind=Kind.STRING),
        "created_at": Attr(kind=Kind.STRING),
        "updated_at": Attr(kind=Kind.STRING),
        "status": Attr(kind=Kind.STRING),
        "degraded": Attr(kind=Kind.BOOLEAN),
        "user_id": Attr(kind=Kind.STRING),
        "project_id": Attr(kind=Kind.STRING),
        "trust_id": Attr(kind=Kind.STRING),
        "reservations": Attr(kind=Kind.LIST),
        "events": Attr(kind=Kind.LIST),
    }
