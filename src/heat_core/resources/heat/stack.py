"""OS::Heat::Stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.contract import Change
from heat_core.resources.heat.heat_type import HeatType
from heat_core.resources.unbuilt import Unbuilt


class RemoteStack(Unbuilt, HeatType):
    name = "OS::Heat::Stack"
    entity = "stacks"
    announced = frozenset({"check", "restore", "resume", "snapshot", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "context": Prop.map(
            update_allowed=True,
            schema={
                "region_name": Prop.string(),
                "credential_secret_id": Prop.string(
                    update_allowed=True, support=Support(version="12.0.0")
                ),
                "ca_cert": Prop.string(update_allowed=True, support=Support(version="12.0.0")),
                "insecure": Prop.boolean(
                    default=False, update_allowed=True, support=Support(version="12.0.0")
                ),
            },
        ),
        "template": Prop.string(required=True, update_allowed=True),
        "timeout": Prop.integer(update_allowed=True),
        "parameters": Prop.map(default={}, update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "stack_name": Attr(kind=Kind.STRING),
        "outputs": Attr(kind=Kind.MAP),
    }

    def needs_replace_with_prop_diff(self, change: Change) -> bool:
        """A stack cannot move to another region."""
        return "context" in change.changed and _region(change.after) != _region(change.before)


def _region(props: Mapping[str, Any]) -> Any:
    return (props.get("context") or {}).get("region_name")
