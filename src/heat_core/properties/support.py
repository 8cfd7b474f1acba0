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


def deprecated(version: str | None, message: str | None = None, **rest: Any) -> Support:
    """Still works, but should no longer be used."""
    return Support(SupportStatus.DEPRECATED, version, message, **rest)


def hidden(version: str | None, message: str | None = None, **rest: Any) -> Support:
    """Works for those who have it, and is shown to nobody."""
    return Support(SupportStatus.HIDDEN, version, message, **rest)


def unsupported(version: str | None = None, message: str | None = None, **rest: Any) -> Support:
    """There for those who know what they do."""
    return Support(SupportStatus.UNSUPPORTED, version, message, **rest)
