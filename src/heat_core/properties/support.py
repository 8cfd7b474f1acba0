"""Support status of a type, a property or an attribute."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class SupportStatus(StrEnum):
    UNKNOWN = "UNKNOWN"
    SUPPORTED = "SUPPORTED"
    DEPRECATED = "DEPRECATED"
    UNSUPPORTED = "UNSUPPORTED"
    HIDDEN = "HIDDEN"


@dataclass(frozen=True, slots=True)
class Support:
    """Since which release something has which status; `previous` is the status before this one."""

    status: SupportStatus = SupportStatus.SUPPORTED
    version: str | None = None
    message: str | None = None
    previous: Support | None = None
    substitute: str | None = None
    """name of the type that resources of this type may turn into without being replaced"""

    @property
    def hidden(self) -> bool:
        return self.status is SupportStatus.HIDDEN

    def as_dict(self) -> dict[str, Any]:
        """The form of resource_type_show (facts/resource-type-show)."""
        return {
            "status": self.status.value,
            "message": self.message,
            "version": self.version,
            "previous_status": self.previous.as_dict() if self.previous else None,
        }
