"""OS::Neutron::TaaS::TapService: where copies of traffic go to."""

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
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class TapService(Unbuilt, NeutronType):
    """Where copies of traffic go to."""

    name = "OS::Neutron::TaaS::TapService"
    support = Support(version="12.0.0")
    required_extension = "taas"
    entity = "tap_service"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the service.", default="", update_allowed=True),
        "description": Prop.string("What the service is for.", default="", update_allowed=True),
        "port": Prop.string(
            "Name or id of the port that gets them.",
            required=True,
            constraints=[Custom("neutron.port")],
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["port"], "neutron", "find_resourceid_by_name_or_id", "port"),)
