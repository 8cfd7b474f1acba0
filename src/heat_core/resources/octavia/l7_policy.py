"""OS::Octavia::L7Policy: sends requests elsewhere when their content matches rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyValueDependency,
)
from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class L7Policy(Unbuilt, OctaviaType):
    """Sends requests elsewhere when their content matches rules."""

    name = "OS::Octavia::L7Policy"
    support = Support(version="10.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "action": Prop.string(
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(["REJECT", "REDIRECT_TO_POOL", "REDIRECT_TO_URL"])],
        ),
        "redirect_pool": Prop.string(update_allowed=True, constraints=[Custom("octavia.pool")]),
        "redirect_url": Prop.string(update_allowed=True),
        "position": Prop.number(update_allowed=True, constraints=[Range(1)]),
        "listener": Prop.string(required=True, constraints=[Custom("octavia.listener")]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "rules": Attr(kind=Kind.LIST),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["listener"], "octavia", "get_listener"),
            rule.resolve(["redirect_pool"], "octavia", "get_pool"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        action, pool, url = props["action"], props["redirect_pool"], props["redirect_url"]
        if action == "REJECT" and (pool is not None or url is not None):
            refuse(
                "Properties redirect_pool and redirect_url are not required when action type "
                "is set to REJECT."
            )
        if action == "REDIRECT_TO_POOL":
            _check_target(props, "redirect_pool", "redirect_url", "REDIRECT_TO_URL")
        if action == "REDIRECT_TO_URL":
            _check_target(props, "redirect_url", "redirect_pool", "REDIRECT_TO_POOL")


def _check_target(props: Mapping[str, Any], needed: str, other: str, of_other: str) -> None:
    if props[other] is not None:
        raise ResourcePropertyValueDependency(prop1=other, prop2="action", value=of_other)
    if props[needed] is None:
        refuse(f"Property {needed} is required when action type is set to {props['action']}.")
