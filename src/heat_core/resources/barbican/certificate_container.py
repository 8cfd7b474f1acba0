"""OS::Barbican::CertificateContainer: the secrets of a certificate, kept together."""

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


class CertificateContainer(Unbuilt, BarbicanType):
    """The secrets of a certificate, kept together."""

    name = "OS::Barbican::CertificateContainer"
    support = Support(version="6.0.0")
    entity = "containers"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "certificate_ref": Prop.string(constraints=[Custom("barbican.secret")]),
        "private_key_ref": Prop.string(constraints=[Custom("barbican.secret")]),
        "private_key_passphrase_ref": Prop.string(constraints=[Custom("barbican.secret")]),
        "intermediates_ref": Prop.string(constraints=[Custom("barbican.secret")]),
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
