"""The plugin contract: what a resource type declares and what it may do.

A type is a class with its schema beside its behaviour. An instance is made for one step of one
resource: it sees a frozen view of the stored state and awaits nothing but ProcedureIO. Every action
has a start, which ends when what it did is durable, and a finish, which reads stored state only, so
that another engine may enter there. The driver owns deadlines, retries, polling intervals and "not
found while deleting is done".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from heat_core.procedure import ProcedureIO
from heat_core.stack.states import Action, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    """What a type may know about its resource: the stored row and the names around it.

    `properties` are the stored ones (functions resolved, translation not applied);
    `physical_name` is "<stack>-<resource>-<short id>" (rules/e-identity.md#6), None while INIT.
    """

    name: str
    uuid: str
    stack_id: str
    stack_name: str
    project_id: str
    action: Action
    status: Status
    physical_id: str | None
    physical_name: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An update in place: which properties change, and the values before and after (coerced)."""

    changed: frozenset[str]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    metadata_changed: bool = False


class ResourceType:
    """Base of every type. Subclasses override what they do; the defaults do nothing."""

    name: ClassVar[str]
    properties: ClassVar[Mapping[str, Any]] = {}
    attributes: ClassVar[Mapping[str, Any]] = {}
    service: ClassVar[str | None] = None
    """catalog name of the service behind the type; None: the type needs none"""
    needs_stored_credentials: ClassVar[bool] = False
    always_replace_on_check_failed: ClassVar[bool] = True

    def __init__(self, view: ResourceView) -> None:
        self.view = view

    # --- decisions, pure -------------------------------------------------------------------

    def validate(self, props: Mapping[str, Any]) -> None:
        """Raise StackValidationFailed for what the schema alone cannot say."""

    def needs_replace(self, after: Mapping[str, Any]) -> bool:
        return False

    def needs_replace_failed(self) -> bool:
        """Whether a FAILED resource must be replaced instead of updated."""
        return True

    def needs_replace_with_prop_diff(self, change: Change) -> bool:
        return False

    def reference_id(self) -> str | None:
        """What get_resource gives: the physical id, else the name (rules/d-properties.md#40)."""
        return self.view.physical_id or self.view.name

    # --- actions, procedures ---------------------------------------------------------------

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        """Begin to make the object; ends when its id is durable."""

    async def finish_create(self, io: ProcedureIO) -> None:
        """Return once the object is ready."""

    async def find(self, io: ProcedureIO) -> str | None:
        """After a crash before the id was stored: the id of the object made, None if there is none.

        Only called when `can_find` is true.
        """
        return None

    can_find: ClassVar[bool] = False
    """False with an object outside: a cut create is failed and replaced, as Heat does."""

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        """Begin to change the object in place."""

    async def finish_update(self, io: ProcedureIO) -> None:
        """Return once the change is done."""

    async def start_delete(self, io: ProcedureIO) -> None:
        """Begin to remove the object."""

    async def finish_delete(self, io: ProcedureIO) -> None:
        """Return once the object is gone."""

    # --- attributes ------------------------------------------------------------------------

    async def attribute(self, io: ProcedureIO, name: str) -> Any:
        """The value of one declared attribute."""
        return None
