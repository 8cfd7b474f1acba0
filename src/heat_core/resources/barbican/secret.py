"""OS::Barbican::Secret: something that the service keeps secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.barbican.barbican_type import BarbicanType
from heat_core.resources.unbuilt import Unbuilt


class Secret(Unbuilt, BarbicanType):
    """Something that the service keeps secret."""

    name = "OS::Barbican::Secret"
    support = Support(version="2014.2")
    entity = "secrets"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "payload": Prop.string(),
        "secret_type": Prop.string(
            default="opaque",
            constraints=[
                AllowedValues(
                    ["symmetric", "public", "private", "certificate", "passphrase", "opaque"]
                )
            ],
            support=Support(version="5.0.0"),
        ),
        "payload_content_type": Prop.string(
            constraints=[AllowedValues(["text/plain", "application/octet-stream"])]
        ),
        "payload_content_encoding": Prop.string(constraints=[AllowedValues(["base64"])]),
        "expiration": Prop.string(constraints=[Custom("expiration")]),
        "algorithm": Prop.string(),
        "bit_length": Prop.integer(constraints=[Range(0)]),
        "mode": Prop.string(),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(kind=Kind.STRING),
        "decrypted_payload": Attr(kind=Kind.STRING),
    }
