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
    """A key to log in to servers with."""

    name = "OS::Nova::KeyPair"
    support = Support(version="2014.1")
    entity = "keypairs"
    announced = frozenset({"check"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the key pair.", required=True, constraints=[Length(1, 255)]),
        "save_private_key": Prop.boolean(
            "Whether a private key made by the service is kept with the resource.", default=False
        ),
        "public_key": Prop.string("The public key; the service makes a pair when absent."),
        "type": Prop.string(
            "Kind of the key.",
            constraints=[AllowedValues(["ssh", "x509"])],
            support=Support(version="8.0.0"),
        ),
        "user": Prop.string(
            "Id of the user that the pair belongs to; for administrators.",
            constraints=[Custom("keystone.user")],
            support=Support(version="9.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "public_key": Attr(description="The public key.", kind=Kind.STRING),
        "private_key": Attr(
            description="The private key, when it was made and kept.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["user"], "keystone", "get_user_id"),)
