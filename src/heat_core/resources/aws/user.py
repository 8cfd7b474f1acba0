"""AWS::IAM::User."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
)
from heat_core.resources.unbuilt import Unbuilt


class User(Unbuilt):
    """A user that exists for the stack alone."""

    name = "AWS::IAM::User"
    announced = frozenset({"resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "Path": Prop.string(),
        "Groups": Prop.list(),
        "LoginProfile": Prop.map(schema={"Password": Prop.string()}),
        "Policies": Prop.list(),
    }
