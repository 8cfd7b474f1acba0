"""OS::Heat::UpdateWaitConditionHandle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.aws.wait_condition_handle import WaitConditionHandle


class UpdateWaitConditionHandle(WaitConditionHandle):
    """A wait condition handle that is made anew by every update."""

    name = "OS::Heat::UpdateWaitConditionHandle"
    support = Support(version="2014.1")

    properties: ClassVar[Mapping[str, Prop]] = {}
