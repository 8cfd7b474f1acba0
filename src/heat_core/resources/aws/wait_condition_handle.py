"""AWS::CloudFormation::WaitConditionHandle."""

from __future__ import annotations

from heat_core.properties import (
    Support,
)
from heat_core.resources.unbuilt import Unbuilt


class WaitConditionHandle(Unbuilt):
    """A signed URL that servers send signals to."""

    name = "AWS::CloudFormation::WaitConditionHandle"
    support = Support(version="2014.1")
    needs_stored_credentials = True
    takes_signals = True
    announced = frozenset({"resume", "suspend"})
