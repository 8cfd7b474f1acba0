"""OS::Cinder::QoSAssociation: binds QoS specs to volume types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.unbuilt import Unbuilt


class QoSAssociation(Unbuilt, CinderType):
    """Binds QoS specs to volume types."""

    name = "OS::Cinder::QoSAssociation"
    support = Support(version="8.0.0")
    required_extension = "qos-specs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "qos_specs": Prop.string(
            "Name or id of the specs.", required=True, constraints=[Custom("cinder.qos_specs")]
        ),
        "volume_types": Prop.list(
            "Names or ids of the volume types.",
            required=True,
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("cinder.vtype")]),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["volume_types"], "cinder", "get_volume_type"),
            rule.resolve(["qos_specs"], "cinder", "get_qos_specs"),
        )
