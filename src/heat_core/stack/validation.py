"""Whether a stack's definition makes sense, in Heat's order (rules/d-properties.md#1-11).

Sections, parameters, parameter groups, conditions, resources as they are read, names used twice,
then each resource after those that it depends on, outputs last. The first mistake is raised.
What only a service can say comes in as Answers: heat_core.resources.with_answers runs a validation
again and again until nothing is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from heat_core.errors import (
    CircularDependencyException,
    HeatException,
    ResourceTypeUnavailable,
    StackValidationFailed,
)
from heat_core.parameters import validate_groups
from heat_core.properties import LOCAL_CHECKS, SHOW, Answers, Properties
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits, TreeCount
from heat_core.stack.mistakes import users_mistake
from heat_core.stack.naming import check_resource_name
from heat_core.stack.resource_definition import SNAPSHOT, ResourceDefinition
from heat_core.template.function import Function, needs_resources, resolve
from heat_core.template.scope import Resolution

if TYPE_CHECKING:
    from heat_core.resources import ResourceType, ResourceView
    from heat_core.resources.nested.children import ChildCheck
    from heat_core.stack.definition import StackDefinition

_HOT_SECTION_NAMES = {
    "Type": "type",
    "Properties": "properties",
    "Metadata": "metadata",
    "DependsOn": "depends_on",
    "DeletionPolicy": "deletion_policy",
    "UpdatePolicy": "update_policy",
    "Description": "description",
    "Value": "value",
}


class _AnyName(Collection[Any]):
    """The attributes of a type that has every attribute."""

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0


class _AttributeNames(Mapping[str, Collection[Any]]):
    """Which attributes the resources of a definition have, by resource."""

    def __init__(self, definition: StackDefinition) -> None:
        self._definition = definition

    def __getitem__(self, name: str) -> Collection[Any]:
        resource_class = self._definition.resource_class(name)
        if resource_class.accepts_anything or resource_class.has_open_attributes:
            return _AnyName()
        return {*resource_class.attributes, SHOW}

    def __iter__(self) -> Iterator[str]:
        return iter(self._definition.resources)

    def __len__(self) -> int:
        return len(self._definition.resources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """One run over a definition.

    `strict` checks values too; without it only names and structure count. `deep` checks what types
    ask beyond their schemas, and nested stacks. The validate call is neither; a create is both;
    the nested stacks of a create are checked deep, but not their values. `catalog_types` are the
    services that there are, None when that isn't known. `count` is of the whole tree of stacks.
    Errors whose code is among `ignorable_errors` are passed over.
    """

    definition: StackDefinition
    count: TreeCount
    strict: bool = True
    deep: bool = True
    ignorable_errors: Collection[str] = ()
    answers: Answers | None = None
    catalog_types: Collection[str] | None = None
    limits: StackLimits = DEFAULT_LIMITS

    def run(self) -> None:
        """Raise one of Heat's errors for the first mistake."""
        definition = self.definition
        template = definition.template
        template.validate_sections()
        checks = LOCAL_CHECKS if self.answers is None else self.answers.checks()
        names = template.version.names
        with users_mistake(names.parameters):
            definition.parameters.validate(check_values=self.strict, checks=checks)
        validate_groups(template.parameter_groups, definition.parameters)
        with users_mistake(names.conditions):
            definition.conditions.validate()
        self._check_resources_exist()
        twice = set(definition.parameters) & set(definition.resources)
        if twice:
            raise StackValidationFailed(message=f"Duplicate names {twice}")
        if not all(definition.requires.values()):
            # A resource that needs no other is asked what is read of it: outputs are parsed now.
            _ = definition.outputs
        order = dependency_order(definition)
        at = Resolution(definition.scope, {}, _AttributeNames(definition))
        for resource in self._distinct(order):
            self._validate_one(resource, at)
        self._validate_outputs(at)

    def _check_resources_exist(self) -> None:
        """Every resource has a name that may be one and a type that is there."""
        for name in self.definition.resources:
            self.definition.resource_class(name)
            check_resource_name(name)

    def _distinct(self, order: tuple[str, ...]) -> list[ResourceDefinition]:
        """Resources in dependency order, of equal definitions only the first (rules/d#2)."""
        distinct: dict[Any, ResourceDefinition] = {}
        for resource in self.definition.resources.values():
            distinct.setdefault(resource.fingerprint(), resource)
        chosen = {resource.name for resource in distinct.values()}
        return [self.definition.resources[name] for name in order if name in chosen]

    # --- resources ---------------------------------------------------------------------------

    def _validate_one(self, resource: ResourceDefinition, at: Resolution) -> None:
        if resource.external_id is not None:
            return  # looking at the object takes a service
        try:
            self._validate_resource(resource, at)
        except HeatException as error:
            if error.error_code is None or error.error_code not in self.ignorable_errors:
                raise
        except AssertionError:
            raise
        except Exception as error:
            names = self.definition.template.version.names
            raise StackValidationFailed(
                error=type(error).__name__,
                path=[names.resources, resource.name],
                message=str(error),
            ) from error

    def _validate_resource(self, resource: ResourceDefinition, at: Resolution) -> None:
        from heat_core.resources import ResourceType, ResourceView

        resource_class = self.definition.resource_class(resource.name)
        if self.deep and resource_class.accepts_anything:
            return
        view = ResourceView(
            name=resource.name,
            stack_id=self.definition.id or "",
            stack_name=self.definition.name or "",
            project_id=self.definition.project_id or "",
        )
        nested = self._nested(resource, view) if self.deep else None
        if self.deep and resource_class.validate_first is not ResourceType.validate_first:
            resource_class(view).validate_first(self._properties(resource, resource_class, at))
        if nested is not None:
            nested.validate_before()
        if resource_class.problem is not None:
            raise StackValidationFailed(message=str(resource_class.problem))
        self._check_service(resource, resource_class)
        try:
            resource.validate_functions(at)
            _check_deletion_policy(resource, resource_class)
            if resource.update_policy or resource_class.update_policy:
                self._bound(resource.update_policy, resource_class.update_policy, at).validate()
            properties = self._properties(resource, resource_class, at)
            properties.validate(with_values=self.strict)
        except StackValidationFailed as error:
            raise self._placed(error, resource) from error
        if self.deep:
            if nested is not None:
                # Below the root only what isn't strict looks further down: the root has done it.
                if self.definition.depth == 0 or not self.strict:
                    nested.validate_child()
                nested.validate_after()
            resource_class(view).validate(properties)

    def _nested(self, resource: ResourceDefinition, view: ResourceView) -> ChildCheck | None:
        from heat_core.resources.nested import StackType
        from heat_core.resources.nested.children import ChildCheck

        resource_class = self.definition.resource_class(resource.name)
        if not issubclass(resource_class, StackType):
            return None
        return ChildCheck.of(
            self.definition,
            resource_class(view),
            limits=self.limits,
            answers=self.answers,
            catalog_types=self.catalog_types,
            count=self.count,
        )

    def _check_service(
        self, resource: ResourceDefinition, resource_class: type[ResourceType]
    ) -> None:
        if self.catalog_types is None:
            return
        reason = resource_class.unavailable_reason(self.catalog_types)
        if reason is not None:
            raise ResourceTypeUnavailable(
                service_name=resource_class.client_name,
                resource_type=resource.type,
                reason=reason,
            )

    def _properties(
        self, resource: ResourceDefinition, resource_class: type[ResourceType], at: Resolution
    ) -> Properties:
        from heat_core.resources import bind

        return bind(
            resource_class,
            {} if resource_class.accepts_anything else _members(resource.properties),
            answers=self.answers,
            resolve=partial(resolve, at=at, nullable=True),
            pending=partial(needs_resources, at=at),
            description=resource.description,
            find=False,
        )

    def _bound(self, data: Any, schema: Mapping[str, Any], at: Resolution) -> Properties:
        return Properties(
            schema,
            _members(data),
            resolve=lambda tree: resolve(tree, at, nullable=True),
            section="UpdatePolicy",
        )

    def _placed(
        self, error: StackValidationFailed, resource: ResourceDefinition
    ) -> StackValidationFailed:
        """The same error at the resource's place in the template."""
        names = self.definition.template.version.names
        path: list[Any] = [names.resources, resource.name]
        if error.path:
            path += (self._section_name(error.path[0]), *error.path[1:])
        return StackValidationFailed(
            error=error.error or None, path=path, message=error.error_message
        )

    def _section_name(self, section: Any) -> Any:
        if self.definition.template.version.dialect == "cfn":
            return section
        return _HOT_SECTION_NAMES.get(section, section)

    # --- outputs -----------------------------------------------------------------------------

    def _validate_outputs(self, at: Resolution) -> None:
        names = self.definition.template.version.names
        for name, output in self.definition.outputs.items():
            try:
                output.validate(at)
            except StackValidationFailed as error:
                path = [names.outputs, name, self._section_name(error.path[0]), *error.path[1:]]
                raise StackValidationFailed(
                    error=error.error or None, path=path, message=error.error_message
                ) from error


def _members(tree: Any) -> Mapping[str, Any]:
    """The members of a map. TypeError for one call in its place: no schema fits that."""
    if tree is None:
        return {}
    if isinstance(tree, Function):
        raise TypeError(f"'{type(tree).__name__}' object is not iterable")
    members: Mapping[str, Any] = tree
    return members


def _check_deletion_policy(
    resource: ResourceDefinition, resource_class: type[ResourceType]
) -> None:
    if resource.deletion_policy == SNAPSHOT and not resource_class.supports("snapshot_delete"):
        raise StackValidationFailed(
            path=["DeletionPolicy"],
            message=f'"{resource.deletion_policy}" deletion policy not supported',
        )


def dependency_order(definition: StackDefinition) -> tuple[str, ...]:
    """Names of the resources, each after those that it depends on.

    Raises CircularDependencyException, which names what could not be put in order.
    """
    missing = {name: set(needed) for name, needed in definition.requires.items()}
    waiting: dict[str, list[str]] = {name: [] for name in missing}
    for name, needed in missing.items():
        for other in needed:
            waiting[other].append(name)
    ready = [name for name, needed in missing.items() if not needed]
    order: list[str] = []
    for name in ready:
        order.append(name)
        for dependent in waiting[name]:
            missing[dependent].discard(name)
            if not missing[dependent]:
                ready.append(dependent)
    if len(order) == len(missing):
        return tuple(order)
    stuck = {name: needed for name, needed in missing.items() if needed}
    shown = ", ".join(
        f"{_shown(definition, name)}: "
        f"{{{', '.join(_shown(definition, other) for other in sorted(needed))}}}"
        for name, needed in stuck.items()
    )
    raise CircularDependencyException(cycle=f"{{{shown}}}")


def _shown(definition: StackDefinition, name: str) -> str:
    """A resource that isn't made yet, as texts for users name it."""
    return f'{definition.resource_class(name).__name__} "{name}"'
