"""OS::Barbican::RSAContainer: the secrets of an RSA key pair, kept together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.barbican.barbican_type import BarbicanType
from heat_core.resources.barbican.references import check_references
from heat_core.resources.unbuilt import Unbuilt


class RSAContainer(Unbuilt, BarbicanType):
    """The secrets of an RSA key pair, kept together."""

    name = "OS::Barbican::RSAContainer"
    support = Support(version="6.0.0")
    entity = "containers"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "private_key_ref": Prop.string(constraints=[Custom("barbican.secret")]),
        "private_key_passphrase_ref": Prop.string(constraints=[Custom("barbican.secret")]),
        "public_key_ref": Prop.string(constraints=[Custom("barbican.secret")]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(kind=Kind.STRING),
        "container_ref": Attr(kind=Kind.STRING),
        "secret_refs": Attr(kind=Kind.MAP),
        "consumers": Attr(kind=Kind.LIST),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        check_references(
            [value for name, value in props.items() if name != "name" and value is not None]
        )
