"""OS::Heat::MultipartMime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.heat.heat_type import HeatType
from heat_core.resources.unbuilt import Unbuilt


class MultipartMime(Unbuilt, HeatType):
    name = "OS::Heat::MultipartMime"
    support = Support(version="2014.1")
    entity = "software_configs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "group": Prop.string(default="Heat::Ungrouped", support=Support(version="14.0.0")),
        "parts": Prop.list(
            default=[],
            schema=Prop.map(
                schema={
                    "config": Prop.string(required=True),
                    "filename": Prop.string(),
                    "type": Prop.string(
                        default="text", constraints=[AllowedValues(["text", "multipart"])]
                    ),
                    "subtype": Prop.string(),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "config": Attr(kind=Kind.STRING),
    }
