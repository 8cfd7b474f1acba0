"""The frozen definition of a stack: a template parsed once for one stack's parameters.

Each section is parsed once, when it is first needed, and nothing is resolved, so a definition is
shared by all nodes of a traversal and cached. The state of resources is an argument of what needs
it. What follows from the definition alone (requirements, attribute references) is worked out once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from heat_core.errors import InvalidTemplateReference, StackValidationFailed
from heat_core.parameters import Parameters
from heat_core.properties import Answers
from heat_core.stack.identity import HeatIdentifier
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits, TreeCount
from heat_core.stack.mistakes import users_mistake
from heat_core.stack.outputs import OutputDefinition, read_outputs
from heat_core.stack.resource_definition import ResourceDefinition, read_resources
from heat_core.template.conditions import Conditions
from heat_core.template.function import ALL_ATTRIBUTES, functions_in, resolve
from heat_core.template.functions.references import GetAttThenSelect, GetResource
from heat_core.template.scope import Nodes, ParentView, Resolution, Scope
from heat_core.template.template import Template

if TYPE_CHECKING:
    from heat_core.resources import ResourceType

_NO_NODES: Nodes = MappingProxyType({})


class StackDefinition:
    """A template with the parameters of one stack; every section is parsed once."""

    def __init__(
        self,
        template: Template,
        identity: HeatIdentifier | None,
        scope: Scope,
        *,
        depth: int = 0,
    ) -> None:
        self.template = template
        self.identity = identity
        self.scope = scope
        self.depth = depth
        """how many stacks it is nested in"""
        self._classes: dict[tuple[str, str | None], type[ResourceType]] = {}
        self._class_of: dict[str, type[ResourceType]] = {}
        # `Ref` may mean any resource of the template while those are read, then the enabled ones.
        with suppress(StackValidationFailed):  # said by whoever reads the resources
            scope.resource_names = template.resources

    @classmethod
    def build(
        cls,
        template: Template,
        *,
        stack_name: str | None = None,
        stack_id: str | None = None,
        project_id: str | None = None,
        parent: ParentView | None = None,
        depth: int = 0,
        availability_zones: Iterable[str] = ("nova",),
    ) -> StackDefinition:
        """A template for a stack; without a name and an id for none in particular.

        Raises InvalidSchemaError for a parameter's schema. Conditions, resources and outputs raise
        StackValidationFailed when they are first read, so that mistakes show in Heat's order.
        """
        identity = None
        if stack_name is not None:
            identity = HeatIdentifier(project_id or "", stack_name, stack_id or "")
        with users_mistake(template.version.names.parameters):
            parameters = template.make_parameters(identity)
        scope = Scope(
            version=template.version,
            parameters=parameters,
            files=template.files,
            mappings=template.mappings,
            conditions=template.conditions,
            parent=parent,
            availability_zones=tuple(availability_zones),
        )
        return cls(template, identity, scope, depth=depth)

    # --- what it is --------------------------------------------------------------------------

    @property
    def name(self) -> str | None:
        return self.identity.stack_name if self.identity else None

    @property
    def id(self) -> str | None:
        return self.identity.stack_id if self.identity else None

    @property
    def project_id(self) -> str | None:
        return self.identity.tenant if self.identity else None

    @property
    def parameters(self) -> Parameters:
        return self.scope.parameters

    @property
    def conditions(self) -> Conditions:
        return self.scope.conditions

    @cached_property
    def resources(self) -> Mapping[str, ResourceDefinition]:
        """The enabled resources, in the template's order. StackValidationFailed."""
        with users_mistake(self.scope.version.names.resources):
            resources = MappingProxyType(read_resources(self.template, self.scope))
        self.scope.resource_names = resources
        return resources

    @cached_property
    def outputs(self) -> Mapping[str, OutputDefinition]:
        """All outputs, in the template's order. StackValidationFailed."""
        with suppress(StackValidationFailed):  # said by whoever reads the resources
            _ = self.resources
        with users_mistake(self.scope.version.names.outputs):
            return MappingProxyType(read_outputs(self.template, self.scope))

    @property
    def description(self) -> Any:
        """The template's description."""
        return self.template.description

    # --- values ------------------------------------------------------------------------------

    def resolution(self, nodes: Nodes) -> Resolution:
        """What functions may look at, given the state of the resources. StackValidationFailed."""
        _ = self.resources
        return Resolution(self.scope, nodes)

    def resolve(self, tree: Any, nodes: Nodes = _NO_NODES) -> Any:
        """Plain data for a parsed tree of this definition; an unknown resource counts as INIT."""
        return resolve(tree, self.resolution(nodes))

    # --- checks ------------------------------------------------------------------------------

    def validate(
        self,
        strict: bool = True,
        *,
        deep: bool | None = None,
        ignorable_errors: Collection[str] = (),
        answers: Answers | None = None,
        catalog_types: Collection[str] | None = None,
        limits: StackLimits = DEFAULT_LIMITS,
        count: TreeCount | None = None,
    ) -> None:
        """Raise Heat's error for the first mistake; the arguments are those of Validation.

        Without a word about it a strict check is deep, and one that isn't strict is not.
        """
        from heat_core.stack.validation import Validation

        if count is None:
            count = TreeCount(limits, start=len(self.template.resources))
        Validation(
            definition=self,
            count=count,
            strict=strict,
            deep=strict if deep is None else deep,
            ignorable_errors=ignorable_errors,
            answers=answers,
            catalog_types=catalog_types,
            limits=limits,
        ).run()

    # --- relations, worked out once ----------------------------------------------------------

    @cached_property
    def requires(self) -> Mapping[str, frozenset[str]]:
        """For each resource the enabled resources that must be there first.

        Those that it refers to, and those that its type adds. Raises as `explicit_requires`.
        """
        from heat_core.stack.implied import implied_requirements

        explicit = self.explicit_requires
        implied = implied_requirements(self, explicit)
        return MappingProxyType(
            {name: names | implied.get(name, frozenset()) for name, names in explicit.items()}
        )

    @cached_property
    def explicit_requires(self) -> Mapping[str, frozenset[str]]:
        """For each resource the enabled resources that it refers to or names in depends_on.

        Raises InvalidTemplateReference for a resource that isn't in the template at all; one that
        is there but disabled counts as no dependency (rules/d-properties.md#10).
        """
        at = self.resolution(_NO_NODES)
        written = self.template.resources
        required: dict[str, frozenset[str]] = {}
        for name, definition in self.resources.items():
            with users_mistake(self.scope.version.names.resources, name):
                names = definition.required_names(at)
            for other in names:
                if other not in written:
                    raise InvalidTemplateReference(resource=other, key=name)
            required[name] = frozenset(other for other in names if other in self.resources)
        return MappingProxyType(required)

    def referenced_attributes(self, name: str, nodes: Nodes = _NO_NODES) -> frozenset[Any]:
        """Attribute keys of `name` that resources read: a name, or a tuple (name, *path).

        `nodes` matters only where a path or a name is itself read from a resource.
        """
        return self._keys(self.resources.values(), self._resource_keys, name, nodes)

    def outputs_attributes(self, name: str, nodes: Nodes = _NO_NODES) -> frozenset[Any]:
        """The same for outputs."""
        return self._keys(self.outputs.values(), self._output_keys, name, nodes)

    def output_attributes(
        self, outputs: Iterable[str], nodes: Nodes = _NO_NODES
    ) -> dict[str, frozenset[Any]]:
        """For each resource that the outputs named read, the attribute keys."""
        keys = _collect([self.outputs[name] for name in outputs], self.resolution(nodes))
        return {
            name: self._expanded(name, found)
            for name, found in keys.items()
            if name in self.resources
        }

    def _keys(
        self,
        definitions: Iterable[ResourceDefinition | OutputDefinition],
        known: Mapping[Any, frozenset[Any]],
        name: str,
        nodes: Nodes,
    ) -> frozenset[Any]:
        if nodes and self._has_dynamic_references:
            known = _collect(definitions, self.resolution(nodes))
        return self._expanded(name, known.get(name, frozenset()))

    def _expanded(self, name: str, keys: frozenset[Any]) -> frozenset[Any]:
        """Keys with "all attributes" replaced by the attributes that the type declares."""
        if ALL_ATTRIBUTES not in keys:
            return keys
        return (keys - {ALL_ATTRIBUTES}) | (self.attribute_names(name) - {"show"})

    @cached_property
    def _resource_keys(self) -> Mapping[Any, frozenset[Any]]:
        return _collect(self.resources.values(), self.resolution(_NO_NODES))

    @cached_property
    def _output_keys(self) -> Mapping[Any, frozenset[Any]]:
        return _collect(self.outputs.values(), self.resolution(_NO_NODES))

    @cached_property
    def _has_dynamic_references(self) -> bool:
        """Whether a reference's own arguments are read from resources."""
        trees: list[Any] = [output.value for output in self.outputs.values()]
        for definition in self.resources.values():
            trees += (definition.properties, definition.metadata)
        return any(
            isinstance(inner, GetAttThenSelect | GetResource)
            for tree in trees
            for outer in functions_in(tree)
            if isinstance(outer, GetAttThenSelect)
            for inner in functions_in(outer.args)
        )

    # --- types -------------------------------------------------------------------------------

    def type_name(self, name: str) -> str:
        """The built-in type, or the template's name, behind a resource's type.

        Raises StackValidationFailed when there is none.
        """
        return self.template.environment.registry.resolve_type(self.resources[name].type, name)

    def resource_class(self, name: str) -> type[ResourceType]:
        """The class behind a resource's type, one made of a template among them.

        Raises StackValidationFailed when there is none, InvalidSchemaError and the like for a
        template that cannot be one.
        """
        known = self._class_of.get(name)
        if known is not None:
            return known
        type_name = self.resources[name].type
        # Most resources have no line of their own in the environment: then the type decides.
        is_special = self.template.environment.registry.has_own(name)
        key = (type_name, name if is_special else None)
        found = self._classes.get(key)
        if found is None:
            from heat_core.resources.nested.classes import class_of

            found = class_of(self.template, type_name, name)
            self._classes[key] = found
        self._class_of[name] = found
        return found

    def forget_classes(self) -> None:
        """Look the classes up again: templates have been fetched for them."""
        self._classes.clear()
        self._class_of.clear()

    def attribute_names(self, name: str) -> frozenset[str]:
        """The attributes that a resource's type declares, `show` among them."""
        return frozenset({"show", *self.resource_class(name).attributes})


def _collect(
    definitions: Iterable[ResourceDefinition | OutputDefinition], at: Resolution
) -> dict[Any, frozenset[Any]]:
    found: dict[Any, set[Any]] = {}
    for definition in definitions:
        for resource, key in definition.attribute_references(at):
            found.setdefault(resource, set()).add(key)
    return {resource: frozenset(keys) for resource, keys in found.items()}
