"""OS::Nova::KeyPair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    CacheMode,
    Custom,
    Kind,
    Length,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class KeyPair(Unbuilt, NovaType):
    name = "OS::Nova::KeyPair"
    support = Support(version="2014.1")
    entity = "keypairs"
    announced = frozenset({"check"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(required=True, constraints=[Length(1, 255)]),
        "save_private_key": Prop.boolean(default=False),
        "public_key": Prop.string(),
        "type": Prop.string(
            constraints=[AllowedValues(["ssh", "x509"])], support=Support(version="8.0.0")
        ),
        "user": Prop.string(
            constraints=[Custom("keystone.user")], support=Support(version="9.0.0")
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "public_key": Attr(kind=Kind.STRING),
        "private_key": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["user"], "keystone", "get_user_id"),)
