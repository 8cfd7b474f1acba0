"""What scaling and instance groups have in common: members that come and go, the oldest first."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from heat_core.errors import NotFound, TemplateOutputError
from heat_core.resources.nested.batches import Batch, scaling_group_batches
from heat_core.resources.nested.generated import (
    NamedDefinitions,
    Rendered,
    changed_members,
    hot_document,
)
from heat_core.resources.nested.stack_type import Document, NestedStack, StackType
from heat_core.resources.nested.surroundings import Members, Surroundings

SCALED_RESOURCE: Final = "OS::Heat::ScaledResource"


class ScalingType(StackType):
    """A group whose members have names made up for each, and leave in the order of their age."""

    def make_document(
        self, definitions: NamedDefinitions, outputs: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The nested template, in the dialect of the group."""
        return hot_document(definitions, outputs)

    def child_parameters(self, at: Surroundings) -> Mapping[str, Any]:
        """An environment that names the type of instances; groups of other things carry it too."""
        return {
            "parameters": {},
            "resource_registry": {SCALED_RESOURCE: "AWS::EC2::Instance"},
        }

    @abstractmethod
    def initial_size(self, at: Surroundings) -> int:
        """How many members a new group has."""

    @abstractmethod
    def member_definition(self, at: Surroundings) -> Rendered:
        """The definition that new members get."""

    @abstractmethod
    def outputs(self, at: Surroundings, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Outputs for what the parent reads, and for the members' references."""

    def child_template(self, at: Surroundings) -> Document:
        return self.resized(at, self.initial_size(at))

    def template_for_parameters(self, at: Surroundings) -> Document:
        """One member shows the parameters of all."""
        return self.resized(at, 1)

    def resized(self, at: Surroundings, size: int, *, updates: int = 0) -> Document:
        """The nested template with `size` members, `updates` of which get the new definition.

        New members count as updates. RequestLimitExceeded for more than a stack may have.
        """
        at.limits.check_resources(size)
        members = list(
            changed_members(
                at.members.definitions(failed=True),
                self.member_definition(at),
                size=size,
                updates=updates,
                new_name=at.new_name,
            )
        )
        names = [name for name, _ in members]
        return self.make_document(members, dict(self.outputs(at, names)))

    def batches(self, wanted: int | None, members: Members, size: int, minimum: int) -> list[Batch]:
        """The steps that give all members the new definition; `size` is that of a step.

        A group that is to shrink has shrunk before: it never has more members than it had.
        """
        current = members.size(failed=True)
        return list(scaling_group_batches(min(wanted or current, current), current, size, minimum))

    async def member_values(
        self, nested: NestedStack, output: str, attribute: Sequence[Any]
    ) -> dict[str, Any]:
        """Values by member, those in order of age that work: from an output, else the members."""
        names = (await nested.members()).names(failed=False)
        try:
            values = await nested.output(output)
        except (NotFound, TemplateOutputError):
            return {name: await self.read_member(nested, name, *attribute) for name in names}
        return {name: values[name] for name in names if name in values}
