"""OS::Barbican::Order: asks the service to make a key or a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyDependency,
)
from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.barbican.barbican_type import BarbicanType
from heat_core.resources.demands import refuse
from heat_core.resources.unbuilt import Unbuilt

_KEY = frozenset({"name", "algorithm", "bit_length", "mode", "payload_content_type", "expiration"})
_ALLOWED: Mapping[str, frozenset[str]] = {
    "key": _KEY,
    "asymmetric": _KEY | {"pass_phrase"},
    "certificate": frozenset(
        {
            "name",
            "request_type",
            "subject_dn",
            "source_container_ref",
            "ca_id",
            "profile",
            "request_data",
        }
    ),
}
"""kind of order -> the properties that it may have"""


class Order(Unbuilt, BarbicanType):
    """Asks the service to make a key or a certificate."""

    name = "OS::Barbican::Order"
    support = Support(version="2014.2")
    entity = "orders"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "payload_content_type": Prop.string(),
        "expiration": Prop.string(constraints=[Custom("expiration")]),
        "algorithm": Prop.string(),
        "bit_length": Prop.integer(),
        "mode": Prop.string(),
        "type": Prop.string(
            required=True,
            constraints=[AllowedValues(["key", "asymmetric", "certificate"])],
            support=Support(version="5.0.0"),
        ),
        "request_type": Prop.string(
            constraints=[AllowedValues(["stored-key", "simple-cmc", "custom"])],
            support=Support(version="5.0.0"),
        ),
        "subject_dn": Prop.string(support=Support(version="5.0.0")),
        "source_container_ref": Prop.string(
            constraints=[Custom("barbican.container")], support=Support(version="5.0.0")
        ),
        "ca_id": Prop.string(support=Support(version="5.0.0")),
        "profile": Prop.string(support=Support(version="5.0.0")),
        "request_data": Prop.string(support=Support(version="5.0.0")),
        "pass_phrase": Prop.string(support=Support(version="5.0.0")),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(kind=Kind.STRING),
        "order_ref": Attr(kind=Kind.STRING),
        "secret_ref": Attr(kind=Kind.STRING),
        "container_ref": Attr(kind=Kind.STRING, support=Support(version="5.0.0")),
        "public_key": Attr(kind=Kind.STRING, support=Support(version="5.0.0")),
        "private_key": Attr(kind=Kind.STRING, support=Support(version="5.0.0")),
        "certificate": Attr(kind=Kind.STRING, support=Support(version="5.0.0")),
        "intermediates": Attr(kind=Kind.STRING, support=Support(version="5.0.0")),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        kind = props["type"]
        if kind != "certificate":
            if props["algorithm"] is None or props["bit_length"] is None:
                refuse(
                    f"Properties algorithm and bit_length are required for {kind} type of order."
                )
        elif props["profile"] and not props["ca_id"]:
            raise ResourcePropertyDependency(prop1="profile", prop2="ca_id")
        given = {name for name, value in props.items() if name != "type" and value is not None}
        allowed = _ALLOWED[kind]
        if unexpected := sorted(given - allowed):
            refuse(
                f"Unexpected properties: {', '.join(unexpected)}. Only these properties are "
                f"allowed for {kind} type of order: {', '.join(sorted(allowed))}."
            )
