"""The plugin contract: what a resource type declares and what it may do.

A type is a class with its schema beside its behaviour. An instance is made for one step of one
resource: it sees a frozen view of the stored state and awaits nothing but ProcedureIO. Every action
has a start, which ends when what it did is durable, and a finish, which reads stored state only, so
that another engine may enter there. The driver owns deadlines, retries, polling intervals and "not
found while deleting is done".

After a crash in the middle of a create the driver goes on like this: physical id stored -> finish;
`create_repeatable` -> start again; `can_find` -> find, then finish or start; else the resource
fails and is replaced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from heat_core.errors import UpdateReplace
from heat_core.procedure import ProcedureIO
from heat_core.properties import Attr, Prop, Properties, Rule, Support
from heat_core.resources.neighbours import Neighbour
from heat_core.stack.naming import PHYSICAL_NAME_LIMIT
from heat_core.stack.states import Action, Status

DEFAULT_TIMEOUT_SECONDS = 3600


class _Unknown:
    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
"""stands for a value that only shows once something was done"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    """What a type may know about its resource: the stored row and the names around it.

    `properties` are the stored ones (functions resolved, not translated, not coerced);
    `physical_name` is "<stack>-<resource>-<short id>" (rules/e-identity.md#6), empty while the
    resource has no row. `data` are the rows of resource_data, decrypted.
    """

    name: str
    uuid: str = ""
    stack_id: str = ""
    stack_name: str = ""
    project_id: str = ""
    action: Action = Action.INIT
    status: Status = Status.COMPLETE
    physical_id: str | None = None
    physical_name: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    stack_timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An update in place: which properties change, and all values before and after (coerced).

    An old value that cannot be read is left out of `before`. The last three tell which parts of
    the definition differ as written: properties may be written anew and come to the same values.
    """

    changed: frozenset[str]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    properties_changed: bool = False
    metadata_changed: bool = False
    update_policy_changed: bool = False

    @property
    def of_definition(self) -> bool:
        """Whether the definition itself differs, and not only what it comes to."""
        return self.properties_changed or self.metadata_changed or self.update_policy_changed

    @property
    def difference(self) -> dict[str, Any]:
        """The new values of the changed properties."""
        return {name: self.after[name] for name in self.after if name in self.changed}


class ResourceType:
    """Base of every type. Subclasses override what they do; the defaults do nothing.

    The class's own name is Heat's (facts/resource-types, `class`), as users see it in texts.
    """

    name: ClassVar[str]
    properties: ClassVar[Mapping[str, Prop]] = {}
    attributes: ClassVar[Mapping[str, Attr]] = {}
    update_policy: ClassVar[Mapping[str, Prop]] = {}
    support: ClassVar[Support] = Support()

    service: ClassVar[str | None] = None
    """catalog type of the service behind the type; None: the type needs none"""
    client_name: ClassVar[str | None] = None
    """the service's name in texts for users, as in "keystone" """
    required_extension: ClassVar[str | None] = None
    """extension that the service must have for this type"""
    entity: ClassVar[str | None] = None

    needs_stored_credentials: ClassVar[bool] = False
    always_replace_on_check_failed: ClassVar[bool] = True
    strict_dependency: ClassVar[bool] = True
    has_nested_stack: ClassVar[bool] = False
    """the resource is a stack of its own"""
    takes_signals: ClassVar[bool] = False
    signal_updates_metadata: ClassVar[bool] = True
    """a signal writes metadata; the resource is locked for it"""
    no_signal_actions: ClassVar[Collection[Action]] = (Action.SUSPEND, Action.DELETE)
    """actions during which, and after which, signals are refused"""
    physical_name_limit: ClassVar[int | None] = PHYSICAL_NAME_LIMIT
    accepts_anything: ClassVar[bool] = False
    """takes any property without looking at it, and has every attribute, null"""
    has_open_attributes: ClassVar[bool] = False
    """has attributes beyond those it declares, such as resource.0.name of a group"""
    never_updates: ClassVar[bool] = False
    """every update of the definition is no change"""
    can_find: ClassVar[bool] = False
    """`find` tells whether a create that was cut off made an object"""
    create_repeatable: ClassVar[bool] = False
    """nothing is made outside the database: a create that was cut off may start again"""
    problem: ClassVar[Exception | None] = None
    """why the type cannot be used, said when a resource of it is validated"""
    is_built: ClassVar[bool] = True
    """false for types that are only known by their schemas (heat_core.resources.unbuilt)"""

    def __init__(self, view: ResourceView) -> None:
        self.view = view

    def __str__(self) -> str:
        """The resource as texts for users name it (rules/h-updates.md#15)."""
        physical = "" if self.view.physical_id is None else f" [{self.view.physical_id}]"
        stack = f'Stack "{self.view.stack_name}" [{self.view.stack_id}]'
        return f'{type(self).__name__} "{self.view.name}"{physical} {stack}'

    # --- decisions, pure -------------------------------------------------------------------

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        """Rules that turn what users may write into what the type works with."""
        return ()

    @classmethod
    def refined_schema(cls, props: Properties) -> Mapping[str, Prop]:
        """Properties whose schema depends on the values of others; for creating, not updating."""
        return {}

    @classmethod
    def stored_properties(cls, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is stored of the resolved user data (rules/d-properties.md#32)."""
        return {} if cls.accepts_anything else data

    @classmethod
    def unavailable_reason(cls, catalog_types: Collection[str]) -> str | None:
        """Why the type cannot be used with these services; None when it can (rules/d#6)."""
        if cls.service is None or cls.service in catalog_types:
            return None
        return f"{cls.client_name} {cls.service} endpoint is not in service catalog."

    @classmethod
    def implementation(cls) -> type[ResourceType]:
        """What must stay the same for an update in place; by default the class itself."""
        return cls

    def validate_first(self, props: Mapping[str, Any]) -> None:
        """Raise StackValidationFailed for what has to be right before the schema is looked at."""

    def validate(self, props: Mapping[str, Any]) -> None:
        """Raise StackValidationFailed for what the schema alone cannot say."""

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """Names of other resources that this one waits for although it does not refer to them."""
        return ()

    def needs_replace(self, after: Mapping[str, Any]) -> bool:
        """Whether these new values require a new object, whatever the old ones are."""
        return False

    def needs_replace_failed(self) -> bool:
        """Whether a FAILED resource must be replaced instead of updated."""
        return True

    def needs_replace_with_change(self, change: Change) -> bool:
        """Whether a change of definition (not of properties alone) requires a new object."""
        return False

    def needs_replace_with_prop_diff(self, change: Change) -> bool:
        """Whether these changed properties require a new object although all may be updated."""
        return False

    def reference_id(self) -> str | None:
        """What get_resource gives: the physical id, else the name (rules/d-properties.md#40)."""
        return self.view.name if self.view.physical_id is None else self.view.physical_id

    def attribute_after(
        self, name: str, properties: Mapping[str, Any], change: Change | None
    ) -> Any:
        """What an attribute will be once the resource is changed in place like that, for previews.

        `properties` are the new ones as stored; without a change a new object is made by them.
        UNKNOWN when only the object itself can tell.
        """
        return UNKNOWN

    @classmethod
    def supports(cls, action: str) -> bool:
        """Whether the type has behaviour of its own for an action such as "check"."""
        return any(
            getattr(cls, f"{step}_{action.lower()}", None)
            is not getattr(ResourceType, f"{step}_{action.lower()}", None)
            for step in ("start", "finish")
        )

    # --- actions, procedures ---------------------------------------------------------------

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        """Begin to make the object; ends when its id is durable."""

    async def finish_create(self, io: ProcedureIO) -> None:
        """Return once the object is ready."""

    async def find(self, io: ProcedureIO, props: Mapping[str, Any]) -> str | None:
        """After a crash before the id was stored: the id of the object made, None if there is none.

        Only called when `can_find` is true, with the values that start_create was given. The
        caller makes the id durable.
        """
        return None

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        """Begin to change the object in place; UpdateReplace asks for a new one instead.

        By default properties cannot change, everything else may (rules/h-updates.md#13).
        """
        if change.changed:
            raise UpdateReplace(self.view.name)

    async def finish_update(self, io: ProcedureIO, change: Change) -> None:
        """Return once the change is done."""

    async def start_delete(self, io: ProcedureIO) -> None:
        """Begin to remove the object."""

    async def finish_delete(self, io: ProcedureIO) -> None:
        """Return once the object is gone."""

    async def cut_off(self, io: ProcedureIO) -> None:
        """Called when a create or an update was cut off by its deadline or by another operation."""

    async def prepare_replace(self, io: ProcedureIO) -> None:
        """Make room for the new object before it is made."""

    async def restore_replaced(self, io: ProcedureIO) -> None:
        """Take back what prepare_replace did: a rollback returns to this object."""

    async def start_check(self, io: ProcedureIO) -> None:
        """Begin to look whether the object is as it should be; raise when it is not."""

    async def finish_check(self, io: ProcedureIO) -> None:
        """Return once that is known."""

    async def start_suspend(self, io: ProcedureIO) -> None:
        """Begin to put the object to rest."""

    async def finish_suspend(self, io: ProcedureIO) -> None:
        """Return once the object rests."""

    async def start_resume(self, io: ProcedureIO) -> None:
        """Begin to wake the object."""

    async def finish_resume(self, io: ProcedureIO) -> None:
        """Return once the object is awake."""

    async def start_snapshot(self, io: ProcedureIO) -> None:
        """Begin to save the object's state."""

    async def finish_snapshot(self, io: ProcedureIO) -> None:
        """Return once the state is saved."""

    async def start_adopt(self, io: ProcedureIO, resource_data: Mapping[str, Any]) -> None:
        """Take an object that exists already; by default its id and its data as given."""

    async def finish_adopt(self, io: ProcedureIO) -> None:
        """Return once the object is ready."""

    # --- attributes ------------------------------------------------------------------------

    async def attribute(self, io: ProcedureIO, name: str) -> Any:
        """The value of one attribute that the type declares."""
        return None

    async def show(self, io: ProcedureIO) -> Mapping[str, Any] | None:
        """What the service tells about the object; only called with a physical id."""
        return None
