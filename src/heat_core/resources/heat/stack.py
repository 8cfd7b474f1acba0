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
    """A stack of its own, made by an orchestration service here or in another region."""

    name = "OS::Heat::Stack"
    entity = "stacks"
    announced = frozenset({"check", "restore", "resume", "snapshot", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "context": Prop.map(
            "Where and as whom the stack is made.",
            update_allowed=True,
            schema={
                "region_name": Prop.string("Region whose orchestration service makes the stack."),
                "credential_secret_id": Prop.string(
                    "Secret that holds the credentials for another cloud.",
                    update_allowed=True,
                    support=Support(version="12.0.0"),
                ),
                "ca_cert": Prop.string(
                    "Certificates to trust there, in PEM.",
                    update_allowed=True,
                    support=Support(version="12.0.0"),
                ),
                "insecure": Prop.boolean(
                    "Whether certificates are not checked there.",
                    default=False,
                    update_allowed=True,
                    support=Support(version="12.0.0"),
                ),
            },
        ),
        "template": Prop.string("The template of the stack.", required=True, update_allowed=True),
        "timeout": Prop.integer(
            "Minutes that an operation on the stack may take.", update_allowed=True
        ),
        "parameters": Prop.map("Parameters of the stack.", default={}, update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "stack_name": Attr(description="Name of the stack.", kind=Kind.STRING),
        "outputs": Attr(description="Outputs of the stack.", kind=Kind.MAP),
    }

    def needs_replace_with_prop_diff(self, change: Change) -> bool:
        """A stack cannot move to another region."""
        return "context" in change.changed and _region(change.after) != _region(change.before)


def _region(props: Mapping[str, Any]) -> Any:
    return (props.get("context") or {}).get("region_name")
