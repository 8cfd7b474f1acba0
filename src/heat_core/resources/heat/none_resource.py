"""OS::Heat::None: stands in for any other type and does nothing."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from heat_core.procedure import Datum, ProcedureIO
from heat_core.properties import Support
from heat_core.resources.contract import ResourceType

PLACEHOLDER_KEY = "is_placeholder"


class NoneResource(ResourceType):
    """Takes any property, has every attribute (null), and never changes."""

    name = "OS::Heat::None"
    support = Support(version="5.0.0")
    create_repeatable = True
    accepts_anything = True
    never_updates = True

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        made_up = uuid.UUID(bytes=await io.entropy(16), version=4)
        await io.created(str(made_up), [Datum(PLACEHOLDER_KEY, "True")])
