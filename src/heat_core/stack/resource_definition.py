"""What a template says about one resource, parsed, and the same with everything resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from heat_core.errors import InvalidExternalResourceDependency, StackValidationFailed
from heat_core.parameters import Parameters
from heat_core.template.function import (
    Function,
    attribute_references,
    required_by,
    resolve,
    unparsed,
    validate,
)
from heat_core.template.parser import parse, root
from heat_core.template.scope import Nodes, Resolution, Scope

if TYPE_CHECKING:
    from heat_core.stack.definition import StackDefinition
    from heat_core.template.template import Template
    from heat_core.template.versions import TemplateVersion

DELETE = "Delete"
RETAIN = "Retain"
SNAPSHOT = "Snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenDefinition:
    """A resource's definition without functions.

    Two are equal when a template could not tell them apart: everything counts but the name and the
    description, and an absent field differs from an empty one (rules/h-updates.md#11). `given`
    names the optional fields that the template has.
    """

    name: str = field(compare=False)
    type: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    deletion_policy: str = DELETE
    update_policy: Mapping[str, Any] = field(default_factory=dict)
    external_id: str | None = None
    condition: str | bool | None = None
    description: str = field(default="", compare=False)
    given: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResourceDefinition:
    """One resource of a template: parsed trees, None for a field that isn't there."""

    name: str
    type: str
    properties: Any = None
    metadata: Any = None
    depends_on: tuple[str, ...] | None = None
    deletion_policy_given: str | None = None
    update_policy: Any = None
    external_id: Any = None
    condition: str | bool | None = None
    description: str = ""

    @property
    def deletion_policy(self) -> str:
        """Delete, Retain or Snapshot; an external resource is always retained."""
        return self.deletion_policy_given or DELETE

    def freeze(
        self,
        definition: StackDefinition,
        nodes: Nodes,
        *,
        properties: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> FrozenDefinition:
        """The definition with its functions resolved against the state of the resources.

        `properties` and `metadata` take the place of the template's: the stored ones of an existing
        resource (rules/d-properties.md#33).
        """
        at = definition.resolution(nodes)
        if properties is None:
            properties = resolve(self.properties, at)
        if metadata is None:
            metadata = resolve(self.metadata, at)
        given = self._given
        if properties and self.properties is None:
            given |= {"properties"}
        if metadata and self.metadata is None:
            given |= {"metadata"}
        return FrozenDefinition(
            name=self.name,
            type=self.type,
            properties=properties or {},
            metadata=metadata or {},
            depends_on=self.depends_on or (),
            deletion_policy=self.deletion_policy,
            update_policy=resolve(self.update_policy, at) or {},
            external_id=resolve(self.external_id, at),
            condition=self.condition,
            description=self.description,
            given=given,
        )

    @property
    def _given(self) -> frozenset[str]:
        """Names of the optional fields that the template has."""
        fields = (
            self.properties,
            self.metadata,
            self.depends_on,
            self.deletion_policy_given,
            self.update_policy,
            self.external_id,
        )
        return _names_of(tuple(value is not None for value in fields))

    def validate_functions(self, at: Resolution) -> None:
        """Check the calls in every field; the path starts with the field's CFN name."""
        for tree, section in (
            (self.properties, "Properties"),
            (self.metadata, "Metadata"),
            (self.update_policy, "UpdatePolicy"),
            (self.external_id, "external_id"),
        ):
            validate(tree, at, [section])

    def required_names(self, at: Resolution) -> frozenset[str]:
        """Every resource that this one names, whether it is there or not.

        Raises InvalidTemplateReference for a call that names an unknown resource,
        InvalidExternalResourceDependency for an external resource that depends on something.
        """
        external_id = resolve(self.external_id, at)
        if external_id:
            if self.depends_on:
                raise InvalidExternalResourceDependency(
                    external_id=external_id, resource_type=self.type
                )
            return frozenset()
        names = set(self.depends_on or ())
        required_by(self.properties, at, f"{self.name}.Properties", names)
        required_by(self.metadata, at, f"{self.name}.Metadata", names)
        return frozenset(names)

    def attribute_references(self, at: Resolution) -> Iterator[tuple[Any, Any]]:
        """Pairs (resource, attribute key) that properties and metadata read."""
        yield from attribute_references(self.properties, at)
        yield from attribute_references(self.metadata, at)

    def fingerprint(self) -> tuple[Any, ...]:
        """Equal for definitions that as_hot writes alike."""
        return (
            self.type,
            repr(self.properties),
            repr(self.metadata),
            self.deletion_policy_given,
            repr(self.update_policy),
            self.depends_on,
            repr(self.external_id),
            self.condition,
        )

    def as_hot(self) -> dict[str, Any]:
        """The definition as HOT writes it, calls turned back into maps."""
        fields = {
            "type": self.type,
            "properties": self.properties,
            "metadata": self.metadata,
            "deletion_policy": self.deletion_policy_given,
            "update_policy": self.update_policy,
            "depends_on": None if self.depends_on is None else list(self.depends_on),
            "external_id": self.external_id,
            "condition": self.condition,
        }
        return {key: unparsed(value) for key, value in fields.items() if value is not None}


@cache
def _names_of(given: tuple[bool, ...]) -> frozenset[str]:
    names = (
        *("properties", "metadata", "depends_on", "deletion_policy", "update_policy"),
        "external_id",
    )
    return frozenset(name for name, is_given in zip(names, given, strict=True) if is_given)


def read_resources(template: Template, scope: Scope) -> dict[str, ResourceDefinition]:
    """The enabled resources of a template, in its order.

    Raises StackValidationFailed for what is wrong in one (rules/a-template-versions.md#18-22).
    """
    return {
        definition.name: definition
        for definition in (
            _read_resource(template, scope, name, written)
            for name, written in template.resources.items()
        )
        if _is_enabled(definition, scope)
    }


def read_plain(
    name: str, written: Mapping[str, Any], version: TemplateVersion
) -> ResourceDefinition:
    """A definition that is data already: what looks like a call in it is none.

    Raises KeyError without a type, TypeError for a field of the wrong kind, StackValidationFailed.
    """
    scope = Scope(
        version=replace(version, functions={}),
        parameters=Parameters({}, {}),
        files={},
        mappings={},
        conditions={},
    )
    return _read_fields(scope, name, written)


def _is_enabled(definition: ResourceDefinition, scope: Scope) -> bool:
    if definition.condition is None:
        return True
    try:
        return bool(scope.conditions.is_enabled(definition.condition))
    except ValueError as error:
        names = scope.version.names
        raise StackValidationFailed(
            path=[names.resources, definition.name, names.condition], message=str(error)
        ) from None


def _read_resource(template: Template, scope: Scope, name: str, written: Any) -> ResourceDefinition:
    version = template.version
    try:
        if version.dialect == "hot":
            unknown = set(written) - version.resource_keys
            if unknown:
                raise ValueError(
                    f"Invalid keyword(s) inside a resource definition: {', '.join(unknown)}"
                )
        return _read_fields(scope, name, written)
    except KeyError as error:
        # The text of a KeyError is its argument's repr.
        raise StackValidationFailed(message=str(error)) from None
    except (TypeError, ValueError) as error:
        raise StackValidationFailed(message=str(error)) from None


def _read_fields(scope: Scope, name: str, written: Any) -> ResourceDefinition:
    version = scope.version
    names = version.names
    field_of = partial(_field, scope, name, written)
    if names.type not in written:
        raise KeyError(f'Resource {name} is missing "{names.type}"')
    mapping = (dict, Function, Mapping)  # the ABC last: asking it takes long
    type_name = field_of(names.type, str, "string")
    properties = field_of(names.properties, mapping, "object")
    metadata = field_of(names.metadata, mapping, "object")
    depends_on = _depends_on(scope, name, written)
    deletion_policy = None
    if names.deletion_policy in written:
        deletion_policy = _deletion_policy(scope, field_of)
    update_policy = field_of(names.update_policy, mapping, "object")
    description = field_of(names.resource_description, str, "string", parsed=False)
    external_id = condition = None
    if version.has_conditions:
        if version.dialect == "hot":
            external_id = field_of(names.external_id, (str, Function), "string")
        condition = field_of(
            names.condition, (str, bool, Function), names.condition_types, condition=True
        )
        if isinstance(condition, Function):
            condition = resolve(condition, Resolution(scope, {}))
    return ResourceDefinition(
        name=name,
        type=type_name,
        properties=properties,
        metadata=metadata,
        depends_on=depends_on,
        deletion_policy_given=RETAIN if external_id is not None else deletion_policy,
        update_policy=update_policy,
        external_id=external_id,
        condition=condition,
        description=description or "",
    )


def _field(
    scope: Scope,
    name: str,
    written: Any,
    key: str,
    types: type | tuple[type, ...],
    type_text: str,
    *,
    parsed: bool = True,
    condition: bool = False,
) -> Any:
    """One field of a resource as a parsed tree, None when it isn't there."""
    if key not in written:
        return None
    value = written[key]
    if parsed:
        table = scope.version.condition_table if condition else scope.version.functions
        value = parse(table, scope, value, root(f"{scope.version.names.resources}.{name}.{key}"))
    if not isinstance(value, types):
        raise TypeError(f"Resource {name} {key} type must be {type_text}")
    return value


def _depends_on(scope: Scope, name: str, written: Any) -> tuple[str, ...] | None:
    key = scope.version.names.depends_on
    value = _field(scope, name, written, key, Sequence, "list or string", parsed=False)
    if value is None:
        return None
    if isinstance(value, str):
        return (value,)
    for member in value:
        if not isinstance(member, str):
            raise StackValidationFailed(message=f"Resource {name} {key} must be a list of strings")
    return tuple(value)


def _deletion_policy(scope: Scope, field_of: Any) -> str | None:
    policy = resolve(
        field_of(scope.version.names.deletion_policy, (str, Function), "string"),
        Resolution(scope, {}),
    )
    if policy is None:
        return None
    if policy not in scope.version.deletion_policies:
        raise StackValidationFailed(message=f'Invalid deletion policy "{policy}"')
    return scope.version.deletion_policies[policy]
