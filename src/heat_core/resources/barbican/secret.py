"""OS::Barbican::Secret: something that the service keeps secret."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyDependency,
    ResourcePropertyValueDependency,
)
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
from heat_core.resources.demands import refuse
from heat_core.resources.unbuilt import Unbuilt

_BINARY = "application/octet-stream"


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

    def validate(self, props: Mapping[str, Any]) -> None:
        encoding, kind = props["payload_content_encoding"], props["payload_content_type"]
        if kind:
            if not props["payload"]:
                raise ResourcePropertyDependency(prop1="payload_content_type", prop2="payload")
            if kind == _BINARY:
                _check_binary(props["payload"], encoding)
        if encoding and (not kind or kind == "text/plain"):
            raise ResourcePropertyValueDependency(
                prop1="payload_content_encoding", prop2="payload_content_type", value=_BINARY
            )


def _check_binary(payload: str, encoding: str | None) -> None:
    if not encoding:
        refuse(
            f"Property unspecified. For '{_BINARY}' value of 'payload_content_type' property, "
            "'payload_content_encoding' property must be specified."
        )
    try:
        base64.b64decode(payload)
    except (binascii.Error, ValueError):
        refuse(
            f"Invalid payload for specified '{encoding}' value of "
            "'payload_content_encoding' property."
        )
