"""OS::Mistral::CronTrigger: runs a workflow at set times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import (
    PropertyUnspecifiedError,
)
from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.mistral.mistral_type import MistralType
from heat_core.resources.unbuilt import Unbuilt


class CronTrigger(Unbuilt, MistralType):
    """Runs a workflow at set times."""

    name = "OS::Mistral::CronTrigger"
    support = Support(version="5.0.0")
    entity = "cron_triggers"
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "pattern": Prop.string(constraints=[Custom("cron_expression")]),
        "workflow": Prop.map(
            required=True,
            schema={
                "name": Prop.string(required=True, constraints=[Custom("mistral.workflow")]),
                "input": Prop.map(),
            },
        ),
        "first_time": Prop.string(),
        "count": Prop.integer(),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "next_execution_time": Attr(kind=Kind.STRING),
        "remaining_executions": Attr(kind=Kind.INTEGER),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        if not (props["pattern"] or props["first_time"]):
            raise PropertyUnspecifiedError("pattern", "first_time")
