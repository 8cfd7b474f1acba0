"""What one finished node tells the nodes that wait for it (rules/i-convergence.md#26)."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from heat_core.stack.ids import ResourceId

type AttributeKey = str | tuple[Any, ...]
"""An attribute's name, or (name, *path) where a template reads inside the attribute."""

_TUPLE_PREFIX = "tuple:"


@dataclass(frozen=True, slots=True)
class NodeData:
    """A resource as other resources see it: its reference and the attributes that they read."""

    id: ResourceId
    name: str
    uuid: str
    reference_id: str | None
    attributes: Mapping[AttributeKey, Any] = field(default_factory=dict)
    action: str = "INIT"
    status: str = "COMPLETE"

    def to_wire(self) -> dict[str, Any]:
        """The JSON map that sync points and messages carry, keys in Heat's order."""
        return {
            "id": self.id,
            "name": self.name,
            "reference_id": self.reference_id,
            "attrs": {encode_key(key): value for key, value in self.attributes.items()},
            "status": self.status,
            "action": self.action,
            "uuid": self.uuid,
        }

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Read what Heat or heat-trio wrote."""
        return cls(
            id=wire["id"],
            name=wire["name"],
            uuid=wire["uuid"],
            reference_id=wire["reference_id"],
            attributes={decode_key(key): value for key, value in wire["attrs"].items()},
            action=wire["action"],
            status=wire["status"],
        )


def encode_key(key: AttributeKey) -> str:
    """A JSON key: text as it is, a tuple as "tuple:" and its Python form."""
    return key if isinstance(key, str) else f"{_TUPLE_PREFIX}{key!r}"


def decode_key(text: str) -> AttributeKey:
    """The inverse of encode_key. ValueError when the text after "tuple:" is no tuple."""
    if not text.startswith(_TUPLE_PREFIX):
        return text
    try:
        value = ast.literal_eval(text[len(_TUPLE_PREFIX) :])
    except SyntaxError as error:
        raise ValueError(f"not a key of a sync point: {text!r}") from error
    if not isinstance(value, tuple):
        raise ValueError(f"not a key of a sync point: {text!r}")
    return value
