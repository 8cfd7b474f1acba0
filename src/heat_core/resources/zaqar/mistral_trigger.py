"""OS::Zaqar::MistralTrigger: runs a workflow for every message of a queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Range,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt
from heat_core.resources.zaqar.zaqar_type import ZaqarType


class MistralTrigger(Unbuilt, ZaqarType):
    """Runs a workflow for every message of a queue."""

    name = "OS::Zaqar::MistralTrigger"
    support = Support(version="8.0.0")
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "queue_name": Prop.string(required=True, constraints=[Custom("zaqar.queue")]),
        "ttl": Prop.integer(default=220367260800, update_allowed=True, constraints=[Range(60)]),
        "workflow_id": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("mistral.workflow")]
        ),
        "params": Prop.map(default={}, update_allowed=True),
        "input": Prop.map(default={}, update_allowed=True),
    }
