"""OS::Barbican::GenericContainer: secrets of any kind, kept together."""

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


class GenericContainer(Unbuilt, BarbicanType):
    """Secrets of any kind, kept together."""

    name = "OS::Barbican::GenericContainer"
    support = Support(version="6.0.0")
    entity = "containers"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "secrets": Prop.list(
            schema=Prop.map(
                schema={
                    "name": Prop.string(required=True),
                    "ref": Prop.string(required=True, constraints=[Custom("barbican.secret")]),
                }
            )
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(kind=Kind.STRING),
        "container_ref": Attr(kind=Kind.STRING),
        "secret_refs": Attr(kind=Kind.MAP),
        "consumers": Attr(kind=Kind.LIST),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        check_references([secret["ref"] for secret in props["secrets"] or ()])
