"""OS::Octavia::L7Rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class L7Rule(Unbuilt, OctaviaType):
    """A condition on the content of requests."""

    name = "OS::Octavia::L7Rule"
    support = Support(version="10.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "l7policy": Prop.string(required=True, constraints=[Custom("octavia.l7policy")]),
        "type": Prop.string(
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(["HOST_NAME", "PATH", "FILE_TYPE", "HEADER", "COOKIE"])],
        ),
        "compare_type": Prop.string(
            required=True,
            update_allowed=True,
            constraints=[
                AllowedValues(["REGEX", "STARTS_WITH", "ENDS_WITH", "CONTAINS", "EQUAL_TO"])
            ],
        ),
        "invert": Prop.boolean(default=False, update_allowed=True),
        "key": Prop.string(update_allowed=True),
        "value": Prop.string(required=True, update_allowed=True),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["l7policy"], "octavia", "get_l7policy"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["type"] in ("HEADER", "COOKIE") and props["key"] is None:
            refuse(
                "Property key is missing. This property should be specified for rules of HEADER "
                "and COOKIE types."
            )
