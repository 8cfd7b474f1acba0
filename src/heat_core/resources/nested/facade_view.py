"""What a nested stack sees of the resource that it stands for (`resource_facade`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from heat_core.template import Resolution, resolve

if TYPE_CHECKING:
    from heat_core.stack import ResourceDefinition


class FacadeOf:
    """The resource in its parent; what is asked for is resolved when it is."""

    __slots__ = ("_at", "_resource")

    def __init__(self, resource: ResourceDefinition, at: Resolution) -> None:
        self._resource = resource
        self._at = at

    @property
    def metadata(self) -> Mapping[str, Any]:
        return resolve(self._resource.metadata, self._at) or {}

    @property
    def deletion_policy(self) -> str:
        return self._resource.deletion_policy

    @property
    def update_policy(self) -> Mapping[str, Any]:
        return resolve(self._resource.update_policy, self._at) or {}
