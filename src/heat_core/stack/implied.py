"""What resources require without referring to it: their types know (rules/i-convergence.md#2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from heat_core.errors import HeatException
from heat_core.properties import Properties
from heat_core.stack.resource_definition import ResourceDefinition
from heat_core.template.function import resolve
from heat_core.template.scope import Resolution

if TYPE_CHECKING:
    from heat_core.resources import ResourceType
    from heat_core.resources.neighbours import Neighbour
    from heat_core.stack.definition import StackDefinition


def implied_requirements(
    definition: StackDefinition, explicit: Mapping[str, frozenset[str]]
) -> Mapping[str, frozenset[str]]:
    """For each resource that has such requirements, their names.

    A mistake in a definition makes none: validation says it.
    """
    from heat_core.resources.contract import ResourceType
    from heat_core.resources.neighbours import Neighbourhood

    classes = {name: _class_of(definition, name) for name in definition.resources}
    asking = {
        name: found
        for name, found in classes.items()
        if found is not None and found.implied_requirements is not ResourceType.implied_requirements
    }
    if not asking:
        return {}
    at = definition.resolution({})
    neighbours = {
        name: _neighbour(definition.resources[name], found, at, explicit[name])
        for name, found in classes.items()
        if found is not None
    }
    everybody = Neighbourhood(neighbours.values())
    implied: dict[str, frozenset[str]] = {}
    for name, found in asking.items():
        own = neighbours[name]
        try:
            implied[name] = frozenset(found.implied_requirements(own, everybody.others(own)))
        except Exception:  # whatever is wrong with a value, validation says it
            continue
    return implied


def _class_of(definition: StackDefinition, name: str) -> type[ResourceType] | None:
    from heat_core.resources.nested import TemplateResource

    try:
        found = definition.resource_class(name)
    except HeatException:
        return None
    return None if issubclass(found, TemplateResource) else found


def _neighbour(
    resource: ResourceDefinition,
    resource_class: type[ResourceType],
    at: Resolution,
    requires: frozenset[str],
) -> Neighbour:
    from heat_core.resources.neighbours import Neighbour

    props = _LateProperties(resource, resource_class, at)
    return Neighbour(
        resource.name, frozenset({resource.type, resource_class.name}), props, requires
    )


class _LateProperties:
    """The properties of a resource, bound when one is read: few are."""

    __slots__ = ("_at", "_class", "_props", "_resource")

    def __init__(
        self, resource: ResourceDefinition, resource_class: type[ResourceType], at: Resolution
    ) -> None:
        self._resource = resource
        self._class = resource_class
        self._at = at
        self._props: Properties | None = None

    def read(self, key: str) -> Any:
        if self._props is None:
            self._props = self._bound()
        return self._props.read(key)

    def _bound(self) -> Properties:
        from heat_core.resources import bind

        at = self._at
        data: Any = self._resource.properties
        try:
            return bind(
                self._class,
                data if isinstance(data, Mapping) or data is None else resolve(data, at),
                resolve=partial(resolve, at=at, nullable=True),
                find=False,
            )
        except Exception:  # whatever is wrong with a value, validation says it
            return bind(self._class, {})
