"""OS::Mistral::ExternalResource: an object that workflows make, change and remove."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.mistral.mistral_type import MistralType
from heat_core.resources.unbuilt import Unbuilt


class MistralExternalResource(Unbuilt, MistralType):
    """An object that workflows make, change and remove."""

    name = "OS::Mistral::ExternalResource"
    support = Support(version="9.0.0")
    entity = "executions"
    is_planned = False
    announced = frozenset({"resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "actions": Prop.map(
            required=True,
            schema={
                "CREATE": Prop.map(
                    schema={
                        "workflow": Prop.string(
                            required=True, constraints=[Custom("mistral.workflow")]
                        ),
                        "params": Prop.map(default={}),
                    }
                ),
                "UPDATE": Prop.map(
                    schema={
                        "workflow": Prop.string(
                            required=True, constraints=[Custom("mistral.workflow")]
                        ),
                        "params": Prop.map(default={}),
                    }
                ),
                "SUSPEND": Prop.map(
                    schema={
                        "workflow": Prop.string(
                            required=True, constraints=[Custom("mistral.workflow")]
                        ),
                        "params": Prop.map(default={}),
                    }
                ),
                "RESUME": Prop.map(
                    schema={
                        "workflow": Prop.string(
                            required=True, constraints=[Custom("mistral.workflow")]
                        ),
                        "params": Prop.map(default={}),
                    }
                ),
                "DELETE": Prop.map(
                    schema={
                        "workflow": Prop.string(
                            required=True, constraints=[Custom("mistral.workflow")]
                        ),
                        "params": Prop.map(default={}),
                    }
                ),
            },
        ),
        "input": Prop.map(default={}, update_allowed=True),
        "description": Prop.string(default="Heat managed"),
        "replace_on_change_inputs": Prop.list(default=[]),
        "always_update": Prop.boolean(default=False),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "output": Attr(kind=Kind.MAP),
    }
