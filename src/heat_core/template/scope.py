"""What functions may look at: the definition around them, and the resources' state."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from heat_core.errors import InvalidTemplateReference

if TYPE_CHECKING:
    from heat_core.parameters import Parameters
    from heat_core.template.conditions import Conditions
    from heat_core.template.versions import TemplateVersion


class NodeView(Protocol):
    """The state of one resource as functions see it (heat_core.stack.NodeData)."""

    @property
    def reference_id(self) -> Any: ...
    @property
    def attributes(self) -> Mapping[Any, Any]: ...
    @property
    def action(self) -> Any: ...
    @property
    def status(self) -> Any: ...


Nodes = Mapping[str, NodeView]


class ParentView(Protocol):
    """The resource that a nested stack stands for, as `resource_facade` reads it."""

    @property
    def metadata(self) -> Mapping[str, Any] | None: ...
    @property
    def deletion_policy(self) -> str: ...
    @property
    def update_policy(self) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class ParentResource:
    """The resource that a nested stack stands for, seen by `resource_facade`."""

    metadata: Mapping[str, Any] | None = None
    deletion_policy: str = "Delete"
    update_policy: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class YaqlLimits:
    """The options [yaql] limit_iterators and memory_quota."""

    limit_iterators: int = 200
    memory_quota: int = 10000


_HEATS_LIMITS: Final = YaqlLimits()
_yaql_limits: ContextVar[YaqlLimits] = ContextVar("yaql_limits", default=_HEATS_LIMITS)


@contextmanager
def using_yaql_limits(limits: YaqlLimits) -> Iterator[None]:
    """Let definitions that are built in this block, and in tasks begun in it, have these limits.

    Ambient, as definitions are built in many places and an engine has one configuration.
    """
    token = _yaql_limits.set(limits)
    try:
        yield
    finally:
        _yaql_limits.reset(token)


class Scope:
    """The definition that functions of one stack stand in.

    `resource_names` are those that `Ref` may mean: all of the template while its resources are
    read, the enabled ones afterwards (rules/a-template-versions.md#24).
    """

    __slots__ = (
        "_conditions",
        "_conditions_section",
        "availability_zones",
        "files",
        "mappings",
        "parameters",
        "parent",
        "resource_names",
        "version",
        "yaql_limits",
    )

    def __init__(
        self,
        *,
        version: TemplateVersion,
        parameters: Parameters,
        files: Mapping[str, str],
        mappings: Any,
        conditions: Any,
        parent: ParentView | None = None,
        availability_zones: Sequence[str] = ("nova",),
    ) -> None:
        self.version = version
        self.parameters = parameters
        self.files = files
        self.mappings = mappings
        self.parent = parent
        self.availability_zones = availability_zones
        self.yaql_limits = _yaql_limits.get()
        self.resource_names: Collection[Any] = ()
        self._conditions_section = conditions
        self._conditions: Conditions | None = None

    @property
    def conditions(self) -> Conditions:
        """The conditions, parsed when they are first asked for. StackValidationFailed."""
        if self._conditions is None:
            from heat_core.template.conditions import Conditions

            self._conditions = Conditions.read(
                self._conditions_section, self.version.names.conditions, self
            )
        return self._conditions


class Resolution:
    """A scope and the state of its resources, handed to every function that resolves.

    `attribute_names` answers which attributes a resource has when arguments are validated; without
    it the keys of the nodes' data count (rules/d-properties.md#35).
    """

    __slots__ = ("_attribute_names", "nodes", "scope")

    def __init__(
        self,
        scope: Scope,
        nodes: Nodes,
        attribute_names: Mapping[str, Collection[Any]] | None = None,
    ) -> None:
        self.scope = scope
        self.nodes = nodes
        self._attribute_names = attribute_names

    def require(self, name: Any, key: str = "unknown") -> str:
        """`name` itself when such a resource is enabled, else InvalidTemplateReference."""
        if isinstance(name, (str, Hashable)) and name in self.scope.resource_names:
            return str(name)
        raise InvalidTemplateReference(resource=name, key=key)

    def node(self, name: Any) -> NodeView | None:
        """The state of an enabled resource, None when nothing is known of it."""
        return self.nodes.get(self.require(name))

    def attribute_names(self, name: str) -> Collection[Any]:
        """The top-level attributes that a resource is known to have."""
        if self._attribute_names is not None:
            return self._attribute_names[name]
        node = self.nodes.get(name)
        if node is None:
            raise AssertionError("Resource data not available")
        return top_level(node.attributes)


def top_level(keys: Iterable[Any]) -> set[Any]:
    """The attribute names in attribute keys (a tuple key starts with the name)."""
    return {key if isinstance(key, str) else key[0] for key in keys}
