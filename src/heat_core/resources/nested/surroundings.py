"""What a nested stack is made from: its resource in the parent, and what is there of it already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from heat_core.properties import Properties
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits
from heat_core.template import resolve

if TYPE_CHECKING:
    from heat_core.stack import NodeData, ResourceDefinition, StackDefinition

_FAILED = "FAILED"
_NO_NODES: Mapping[str, NodeData] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Member:
    """A resource of a nested stack as its parent counts it; `created_at` gives the age."""

    name: str
    status: str = "COMPLETE"
    created_at: Any = 0
    reference_id: Any = None
    physical_id: str | None = None

    @property
    def failed(self) -> bool:
        return self.status == _FAILED


@dataclass(frozen=True, slots=True)
class Members:
    """What a nested stack has: its resources, failed ones first, then by age, then by name.

    `template` is the document of the nested stack as it is, None while there is no stack.
    """

    all: tuple[Member, ...] = ()
    template: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, members: Iterable[Member], template: Mapping[str, Any] | None = None) -> Self:
        """Members in any order."""
        ordered = sorted(members, key=lambda one: (not one.failed, one.created_at, one.name))
        return cls(tuple(ordered), template)

    def names(self, *, failed: bool) -> list[str]:
        """Names in order; `failed` tells whether failed members count."""
        return [one.name for one in self.all if failed or not one.failed]

    def size(self, *, failed: bool = False) -> int:
        """How many there are."""
        return len(self.names(failed=failed))

    def named_by_reference(self, reference: Any) -> str | None:
        """The name of the member that has this reference id."""
        return next((one.name for one in self.all if one.reference_id == reference), None)

    def definitions(self, *, failed: bool) -> list[tuple[str, Mapping[str, Any]]]:
        """Members in order with their definitions in the nested stack's template, as HOT.

        Members that the template does not have are left out.
        """
        if self.template is None:
            return []
        from heat_core.resources.nested.generated import definitions_of

        known = definitions_of(self.template)
        return [(name, known[name]) for name in self.names(failed=failed) if name in known]


def numbered_names() -> Iterator[str]:
    """Names for members that are made up only to look at: newmember001 and so on."""
    return (f"newmember{number:03}" for number in count(1))


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """A resource that has a nested stack, within its own stack.

    `properties` are bound to the parent's definition; `lenient` are the same, with null for what
    needs a parameter without a value. `new_name` gives a name for one more member of a group,
    unlike any before; `active_engines` bounds how many members of a chain are worked on at once.
    """

    definition: StackDefinition
    name: str
    properties: Properties
    lenient: Properties
    nodes: Mapping[str, Any] = _NO_NODES
    members: Members = Members()
    new_name: Callable[[], str] = field(default_factory=lambda: numbered_names().__next__)
    active_engines: int = 1
    limits: StackLimits = DEFAULT_LIMITS
    attributes_read: Iterable[Any] | None = None
    """attribute keys that are read of the resource; None: those that the parent reads"""

    @property
    def resource(self) -> ResourceDefinition:
        """The resource as the parent's template has it."""
        return self.definition.resources[self.name]

    @cached_property
    def referenced(self) -> tuple[tuple[Any, ...], ...]:
        """Attributes that the parent reads of the resource: (name, *path) each, in a fixed order.

        They decide which outputs a generated template has.
        """
        keys = self.attributes_read
        if keys is None:
            keys = self.definition.referenced_attributes(
                self.name, self.nodes
            ) | self.definition.outputs_attributes(self.name, self.nodes)
        paths = {(key,) if isinstance(key, str) else tuple(key) for key in keys}
        return tuple(sorted(paths, key=lambda path: [str(part) for part in path]))

    @cached_property
    def update_policy(self) -> Properties:
        """The update policy by the schema of the resource's type."""
        at = self.definition.resolution(self.nodes)
        data = self.resource.update_policy
        return Properties(
            self.definition.resource_class(self.name).update_policy,
            data if isinstance(data, Mapping) else {},
            resolve=lambda tree: resolve(tree, at, nullable=True),
            section="UpdatePolicy",
        )
