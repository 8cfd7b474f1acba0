"""The definition of a nested stack, made from the resource that it belongs to in its parent.

The same for a check before anything exists, for the parameters that the validate call shows, and
for the nested stack that is then created or updated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from heat_core.errors import HeatException, StackValidationFailed, UserParameterMissing
from heat_core.parameters import PSEUDO_NAMES, describe
from heat_core.properties import OMITTED, Answers, Properties
from heat_core.resources.contract import ResourceView
from heat_core.resources.inputs import bind
from heat_core.resources.nested.facade_view import FacadeOf
from heat_core.resources.nested.stack_type import Document, StackType
from heat_core.resources.nested.surroundings import Surroundings
from heat_core.stack.definition import StackDefinition
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits, TreeCount
from heat_core.stack.naming import check_resource_name
from heat_core.template import Function, Resolution, Template, resolve
from heat_core.template.scope import Nodes

_NO_ID: Final = "None"
"""what a stack that is not stored yet has as its id in pseudo parameters"""

_MOST_SHOWN: Final = 10_000
"""resources of nested stacks that the validate call looks at, whatever a stack may have"""


def surroundings_of(
    definition: StackDefinition,
    name: str,
    *,
    nodes: Nodes | None = None,
    answers: Answers | None = None,
    stored: Mapping[str, Any] | None = None,
    **more: Any,
) -> Surroundings:
    """What the nested stack of a resource is made from; `more` as in Surroundings.

    `stored` are the properties that the resource was last given, in place of those that its
    definition has. TypeError for a resource whose properties are one call instead of a map.
    """
    nodes = {} if nodes is None else nodes
    resource = definition.resources[name]
    at = definition.resolution(nodes)
    data = resource.properties if stored is None else stored

    def bound(resolver: Callable[[Any], Any]) -> Properties:
        return bind(
            definition.resource_class(name),
            data,
            answers=answers,
            resolve=resolver,
            description=resource.description,
            find=False,
        )

    return Surroundings(
        definition=definition,
        name=name,
        properties=bound(lambda tree: resolve(tree, at, nullable=True)),
        lenient=bound(lambda tree: resolve_or_null(tree, at)),
        nodes=nodes,
        **more,
    )


def resolve_or_null(tree: Any, at: Resolution) -> Any:
    """Like `resolve`, but a call that needs a parameter without a value gives None."""
    if isinstance(tree, Function):
        try:
            return tree.resolve(at)
        except UserParameterMissing:
            return None
    if isinstance(tree, dict):
        members = {key: resolve_or_null(value, at) for key, value in tree.items()}
        return {key: value for key, value in members.items() if value is not OMITTED}
    if isinstance(tree, list):
        values = [resolve_or_null(value, at) for value in tree]
        return [value for value in values if value is not OMITTED]
    return tree


def resource_of(at: Surroundings, view: ResourceView | None = None) -> StackType:
    """An instance of the resource's type; without a view one that is not there yet."""
    definition = at.definition
    resource_class = definition.resource_class(at.name)
    if not issubclass(resource_class, StackType):
        raise AssertionError(f"{resource_class.__name__} has no nested stack")
    if view is None:
        view = ResourceView(
            name=at.name,
            stack_id=definition.id or "",
            stack_name=definition.name or "",
            project_id=definition.project_id or "",
        )
    return resource_class(view)


def child_template_of(
    resource: StackType,
    at: Surroundings,
    document: Document,
    *,
    earlier_files: Mapping[str, str] | None = None,
) -> Template:
    """The nested stack's template with its environment and files, as it is stored.

    Raises InvalidTemplateVersion and what the environment raises.
    """
    return Template(
        document,
        environment=resource.child_environment(at),
        files=resource.child_files(at, earlier_files),
        downloads=at.definition.template.downloads,
    )


def child_definition(
    resource: StackType,
    at: Surroundings,
    document: Document,
    *,
    limits: StackLimits = DEFAULT_LIMITS,
    stack_name: str | None = None,
    stack_id: str | None = None,
) -> StackDefinition:
    """The definition of the nested stack; the name is the one of a check when none is given.

    Raises RequestLimitExceeded for a tree that is too deep, or for a template of too many
    resources.
    """
    parent = at.definition
    depth = limits.check_depth(parent.depth)
    template = child_template_of(resource, at, document)
    if template.version.dialect == "hot":
        template.check_resource_keys()
    limits.check_resources(len(template.resources))
    return StackDefinition.build(
        template,
        stack_name=f"{parent.name}-{at.name}" if stack_name is None else stack_name,
        stack_id=_NO_ID if stack_id is None else stack_id,
        project_id=parent.project_id,
        parent=FacadeOf(at.resource, parent.resolution(at.nodes)),
        depth=depth,
        availability_zones=parent.scope.availability_zones,
    )


# --- checks --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildCheck:
    """The checks of one resource that has a nested stack, in the order of Heat's."""

    resource: StackType
    at: Surroundings
    limits: StackLimits
    count: TreeCount
    answers: Answers | None
    catalog_types: Collection[str] | None

    @classmethod
    def of(
        cls,
        definition: StackDefinition,
        resource: StackType,
        *,
        limits: StackLimits,
        count: TreeCount,
        answers: Answers | None,
        catalog_types: Collection[str] | None,
    ) -> ChildCheck:
        """For a resource of this definition."""
        at = surroundings_of(definition, resource.view.name, answers=answers, limits=limits)
        return cls(
            resource=resource,
            at=at,
            limits=limits,
            count=count,
            answers=answers,
            catalog_types=catalog_types,
        )

    def validate_before(self) -> None:
        """What has to be right before the schema is looked at."""
        self.resource.validate_before(self.at)

    def validate_child(self) -> None:
        """Check the nested stack, and those within it, without their parameters' values.

        Raises StackValidationFailed with the resource and its template in the path.
        """
        self.resource.validate_child(self.at, self._check)

    def validate_after(self) -> None:
        """What is looked at last."""
        self.resource.validate_after(self.at)

    def _check(self, make: Callable[[], Document]) -> None:
        with said_below(self.at, self.resource.template_url):
            child = child_definition(self.resource, self.at, make(), limits=self.limits)
            self.count.add(len(child.template.resources))
            child.validate(
                strict=False,
                deep=True,
                answers=self.answers,
                catalog_types=self.catalog_types,
                limits=self.limits,
                count=self.count,
            )


@contextmanager
def said_below(at: Surroundings, template_url: str) -> Iterator[None]:
    """Say of every error where below the resource it comes from."""
    section = at.definition.template.version.names.resources
    place = [section, f"{at.name}<{template_url}>"]
    try:
        yield
    except AssertionError:
        raise
    except StackValidationFailed as error:
        raise StackValidationFailed(
            error=error.error or None, path=[*place, *error.path], message=error.error_message
        ) from error
    except Exception as error:
        raise StackValidationFailed(
            error=type(error).__name__, path=place, message=str(error)
        ) from error


# --- what the validate call shows ----------------------------------------------------------------


def nested_parameters(
    definition: StackDefinition,
    *,
    limits: StackLimits = DEFAULT_LIMITS,
    hidden: Collection[str] | None = None,
    count: TreeCount | None = None,
) -> dict[str, Any]:
    """{"NestedParameters": ...} with an entry a resource that has a nested stack, else {}.

    `hidden` are the parameters that are not shown at any depth: the pseudo parameters of the
    outermost template's dialect, and of that only. Raises what is wrong with a nested template
    (rules/a-template-versions.md#14-15).
    """
    if hidden is None:
        hidden = PSEUDO_NAMES[definition.template.version.dialect]
    if count is None:
        count = TreeCount(limits, at_least=_MOST_SHOWN)
    found: dict[str, Any] = {}
    for name in definition.resources:
        if issubclass(definition.resource_class(name), StackType):
            with _users_mistake(definition, name):
                found[name] = _described(definition, name, limits, hidden, count)
    return {"NestedParameters": found} if found else {}


def _described(
    definition: StackDefinition,
    name: str,
    limits: StackLimits,
    hidden: Collection[str],
    count: TreeCount,
) -> dict[str, Any]:
    at = surroundings_of(definition, name, limits=limits)
    resource = resource_of(at)
    child = child_definition(resource, at, resource.template_for_parameters(at), limits=limits)
    count.add(len(child.template.resources))
    for other in child.resources:
        child.resource_class(other)
        check_resource_name(other)
    entry: dict[str, Any] = {
        "Type": at.resource.type,
        "Description": child.template.description,
        "Parameters": {
            one.name: describe(one) for one in child.parameters.all() if one.name not in hidden
        },
    }
    if child.template.parameter_groups:
        entry["ParameterGroups"] = child.template.parameter_groups
    entry.update(nested_parameters(child, limits=limits, hidden=hidden, count=count))
    return entry


@contextmanager
def _users_mistake(definition: StackDefinition, name: str) -> Iterator[None]:
    """Say as the user's what would end in an error of Python's; a ValueError is the user's."""
    try:
        yield
    except (HeatException, AssertionError, ValueError):
        raise
    except Exception as error:
        section = definition.template.version.names.resources
        raise StackValidationFailed(
            error=type(error).__name__, path=[section, name], message=str(error)
        ) from error
