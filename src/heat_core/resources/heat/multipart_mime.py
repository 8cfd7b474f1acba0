"""OS::Heat::MultipartMime: several configurations joined into one MIME message for cloud-init."""

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
    """Several configurations joined into one MIME message for cloud-init."""

    name = "OS::Heat::MultipartMime"
    support = Support(version="2014.1")
    entity = "software_configs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "group": Prop.string(
            "Kind of software config that the message is stored as.",
            default="Heat::Ungrouped",
            support=Support(version="14.0.0"),
        ),
        "parts": Prop.list(
            "The parts of the message, in order.",
            default=[],
            schema=Prop.map(
                schema={
                    "config": Prop.string(
                        "Text of the part, or the id of a config.", required=True
                    ),
                    "filename": Prop.string("File name of the part."),
                    "type": Prop.string(
                        "Whether the part is a text or a message of its own.",
                        default="text",
                        constraints=[AllowedValues(["text", "multipart"])],
                    ),
                    "subtype": Prop.string("MIME subtype of the part."),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "config": Attr(description="The whole message.", kind=Kind.STRING),
    }
