"""AWS::CloudFormation::Stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
)
from heat_core.resources.unbuilt import Unbuilt


class NestedStack(Unbuilt):
    """A stack within the stack, from a template at a URL."""

    name = "AWS::CloudFormation::Stack"
    needs_stored_credentials = True
    has_nested_stack = True
    has_open_attributes = True
    announced = frozenset({"adopt", "check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "TemplateURL": Prop.string(required=True, update_allowed=True),
        "TimeoutInMinutes": Prop.integer(update_allowed=True),
        "Parameters": Prop.map(update_allowed=True),
    }
