"""Types that are known by their schemas and cannot act yet.

Such a type validates, is listed and shown, and answers updates as its schema says. An action that
would have to do something fails with one sentence; one that has nothing to do is done. A row with a
physical id stands for an object that somebody else made: it is never given up silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

from heat_core.procedure import ProcedureIO
from heat_core.resources.contract import Change, ResourceType
from heat_core.resources.failures import PluginFailure


class Unbuilt(ResourceType):
    """Base that comes first among the bases of a type without behaviour."""

    is_built = False
    is_planned: ClassVar[bool] = True
    """false: the service behind the type has been given up, or is left out on purpose"""
    announced: ClassVar[frozenset[str]] = frozenset()
    """actions beyond create, update and delete that the type will have behaviour for"""

    @classmethod
    def supports(cls, action: str) -> bool:
        return action.lower() in cls.announced

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        self._refuse("created")

    async def start_adopt(self, io: ProcedureIO, resource_data: Mapping[str, Any]) -> None:
        self._refuse("adopted")

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        await ResourceType.start_update(self, io, change)
        self._refuse_if_made("updated")

    async def start_delete(self, io: ProcedureIO) -> None:
        self._refuse_if_made("deleted")

    async def start_check(self, io: ProcedureIO) -> None:
        self._refuse_if_made("checked")

    async def start_suspend(self, io: ProcedureIO) -> None:
        if self.supports("suspend"):
            self._refuse_if_made("suspended")

    async def start_resume(self, io: ProcedureIO) -> None:
        if self.supports("resume"):
            self._refuse_if_made("resumed")

    async def start_snapshot(self, io: ProcedureIO) -> None:
        if self.supports("snapshot"):
            self._refuse_if_made("saved as a snapshot")

    async def attribute(self, io: ProcedureIO, name: str) -> Any:
        self._refuse_if_made("asked for its attributes")

    async def show(self, io: ProcedureIO) -> Mapping[str, Any] | None:
        self._refuse_if_made("asked for its attributes")
        return None

    def _refuse_if_made(self, done: str) -> None:
        if self.view.physical_id is not None:
            self._refuse(done)

    def _refuse(self, done: str) -> NoReturn:
        when = " yet" if self.is_planned else ""
        raise PluginFailure("NotSupported", f"{self.name} can be validated but not {done}{when}.")
