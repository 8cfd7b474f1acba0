"""Types whose resource is a stack of its own: what their child consists of, as pure answers.

Whoever drives such a resource asks it for `child_template`, `child_environment` and `child_files`,
creates or updates the nested stack with them, and reads attributes through a NestedStack. Nothing
here acts. Theory: the nested stack's template is a plain document; its environment is the parent's
with the child's parameters (rules/b-environment.md#30); which outputs a generated template has
follows from the attributes that the parent reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from heat_core.errors import InvalidTemplateAttribute, NotFound
from heat_core.properties import select_from_attribute
from heat_core.resources.contract import ResourceType
from heat_core.resources.nested.generated import split_member_key
from heat_core.resources.nested.surroundings import Members, Surroundings
from heat_core.stack.identity import HeatIdentifier

if TYPE_CHECKING:
    from heat_core.environment import Entry, Environment

type Document = Mapping[str, Any]
type CheckChild = Callable[[Callable[[], Document]], None]

RESOURCE_PREFIX = "resource."


class NestedStack(Protocol):
    """The nested stack of a resource, as attributes are read from it.

    The methods may do I/O. `output` raises NotFound when the stack has no such output,
    TemplateOutputError when its value cannot be had.
    """

    async def output(self, name: str) -> Any: ...

    async def members(self) -> Members: ...

    async def member_reference(self, name: str) -> Any: ...

    async def member_attribute(self, name: str, path: tuple[Any, ...]) -> Any: ...


class StackType(ResourceType):
    """Base of the types that have a nested stack."""

    has_nested_stack = True
    needs_stored_credentials = True

    template_url: ClassVar[str] = "nested_stack"
    """names the nested template in the paths of errors"""
    reference_is_arn: ClassVar[bool] = False
    """get_resource gives the nested stack's ARN instead of its id"""
    entry: ClassVar[Entry | None] = None
    """the registry entry that made the type; it does not count within the nested stack"""

    # --- what the nested stack is made of ----------------------------------------------------

    def child_template(self, at: Surroundings) -> Document:
        """The document of the nested stack. ValueError, or one of Heat's errors."""
        raise NotImplementedError

    def child_parameters(self, at: Surroundings) -> Mapping[str, Any] | None:
        """Parameter values by name, or an environment with sections."""
        return {}

    def child_environment(self, at: Surroundings) -> Environment:
        """The environment of the nested stack."""
        environment = at.definition.template.environment.as_stored()
        # The resource's own type is noted, as in Heat.
        environment.registry.find(at.resource.type, at.name)
        return environment.for_child(
            self.child_parameters(at), without=self.entry, resource_name=self.view.name
        )

    def child_files(
        self, at: Surroundings, earlier: Mapping[str, str] | None = None
    ) -> Mapping[str, str]:
        """The files of the nested stack; `earlier` are those of the template before an update."""
        return at.definition.template.files

    def timeout_minutes(self, at: Surroundings) -> int | None:
        """How long the nested stack may take; None: as long as its parent."""
        return None

    # --- looking into it before there is one -------------------------------------------------

    def validate_child(self, at: Surroundings, check: CheckChild) -> None:
        """Hand what makes the nested stack's document to `check`, which raises what is wrong.

        What is raised outside of `check` is said without the nested template's place.
        """
        check(lambda: self.child_template(at))

    def validate_before(self, at: Surroundings) -> None:
        """Raise for what has to be right before the schema is looked at (see validate_first)."""

    def validate_after(self, at: Surroundings) -> None:
        """Raise for what is looked at once the resource and its nested stack are right."""

    def template_for_parameters(self, at: Surroundings) -> Document:
        """The nested template whose parameters the validate call shows."""
        return self.child_template(at)

    # --- reading -----------------------------------------------------------------------------

    async def read_attribute(
        self, nested: NestedStack | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        """The value of an attribute of the resource, or of what is inside it.

        `nested` is None while there is no nested stack. Raises InvalidTemplateAttribute when there
        is no such attribute, NotFound for a member that isn't there, and what reading raises.
        """
        return select_from_attribute(await self.read_output(nested, key), path)

    async def read_output(self, nested: NestedStack | None, key: str) -> Any:
        """The nested stack's output as an attribute; None while there is no nested stack."""
        if nested is None:
            return None
        try:
            return await nested.output(key)
        except NotFound:
            raise self.no_attribute(key) from None

    def reference_id(self) -> str | None:
        """The nested stack's id, or its ARN; the resource's name while there is none."""
        view = self.view
        if view.physical_id is None or not self.reference_is_arn:
            return super().reference_id()
        return HeatIdentifier(view.project_id, view.physical_name, view.physical_id).arn()

    @classmethod
    def reference_output(cls) -> str | None:
        """The output that gives another reference id; None: there is none."""
        return None

    def no_attribute(self, key: str) -> InvalidTemplateAttribute:
        """The error for an attribute that isn't there."""
        return InvalidTemplateAttribute(resource=self.view.name, key=key)

    def no_member(self, member: Any) -> NotFound:
        """The error for a member that isn't there."""
        return NotFound(f"Member '{member}' not found in group resource '{self.view.name}'.")

    async def read_member(self, nested: NestedStack | None, member: str, *path: Any) -> Any:
        """An attribute of a member, its reference without a path; None without a nested stack."""
        if nested is None:
            return None
        if member not in (await nested.members()).names(failed=True):
            raise self.no_member(member)
        if path:
            return await nested.member_attribute(member, path)
        return await nested.member_reference(member)

    async def read_member_key(self, nested: NestedStack | None, key: str, *path: Any) -> Any:
        """What "resource.<member>[.<attribute>]" and a path lead to."""
        member, rest = split_member_key(key)
        return await self.read_member(nested, member, *rest, *path)
