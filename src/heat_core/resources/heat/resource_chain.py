"""OS::Heat::ResourceChain: one resource of each of several types, all with the same properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import NotFound, TemplateOutputError
from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
    select_from_attribute,
)
from heat_core.resources.nested.acting import ActingStack
from heat_core.resources.nested.generated import (
    HOT_CALLS,
    hot_document,
    output_name,
    rendered,
    split_member_key,
)
from heat_core.resources.nested.stack_type import (
    RESOURCE_PREFIX,
    CheckChild,
    Document,
    NestedStack,
)
from heat_core.resources.nested.surroundings import Surroundings


class ResourceChain(ActingStack):
    """One resource of each of several types, all with the same properties."""

    name = "OS::Heat::ResourceChain"
    support = Support(version="6.0.0")
    has_open_attributes = True
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "resources": Prop.list("The types, in order.", required=True, update_allowed=True),
        "concurrent": Prop.boolean(
            "Whether all are made at once instead of one after the other.", default=False
        ),
        "resource_properties": Prop.map("Properties of every resource."),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "refs": Attr(description="Reference ids, in the order of the types.", kind=Kind.LIST),
        "attributes": Attr(
            description="An attribute of every resource, by its name.", kind=Kind.MAP
        ),
    }

    # --- the nested stack --------------------------------------------------------------------

    def child_template(self, at: Surroundings) -> Document:
        """A resource a type, named 0, 1, 2 and so on.

        Each waits for the one before it; concurrent ones for the one that is as many places before
        it as there are engines, which bounds how many are worked on at once.
        """
        types = at.properties["resources"]
        names = [str(index) for index in range(len(types))]
        distance = 1
        if len(types) > 1 and at.properties["concurrent"]:
            distance = max(at.active_engines, 1)
        members = [
            (
                name,
                rendered(
                    type_name,
                    properties=at.properties["resource_properties"],
                    depends_on=[names[index - distance]] if index >= distance else None,
                ),
            )
            for index, (name, type_name) in enumerate(zip(names, types, strict=True))
        ]
        return hot_document(members, dict(_outputs(at, names, self.attributes)))

    def validate_child(self, at: Surroundings, check: CheckChild) -> None:
        registry = at.definition.template.environment.registry
        for type_name in at.properties["resources"]:
            registry.find_for(type_name, None)
        super().validate_child(at, check)

    # --- reading -----------------------------------------------------------------------------

    async def read_attribute(
        self, nested: NestedStack | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        if key == "attributes" and not path:
            raise self.no_attribute(key)
        if nested is None:
            return None
        try:
            output = await nested.output(output_name([key, *path]))
        except (NotFound, TemplateOutputError):
            return await self._read_members(nested, at, key, *path)
        return select_from_attribute(output, path) if key == "refs" else output

    async def _read_members(
        self, nested: NestedStack, at: Surroundings, key: str, *path: Any
    ) -> Any:
        """The value from the members themselves: no output has it."""
        names = [str(index) for index in range(len(at.properties["resources"]))]
        if key.startswith(RESOURCE_PREFIX):
            member, _ = split_member_key(key)
            if member not in names:
                raise self.no_member(member)
            return await self.read_member_key(nested, key, *path)
        if key == "refs":
            references = [await self.read_member(nested, name) for name in names]
            return select_from_attribute(references, path)
        if key == "attributes":
            return {name: await self.read_member(nested, name, *path) for name in names}
        return [await self.read_member(nested, name, key, *path) for name in names]


def _outputs(
    at: Surroundings, names: Sequence[str], declared: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """An output for each attribute that the parent reads."""
    for key, *path in at.referenced:
        value: Any = None
        if key.startswith(RESOURCE_PREFIX):
            member, rest = split_member_key(key)
            inner = [*rest, *path]
            if member in names:
                value = (
                    HOT_CALLS.get_attr(member, *inner) if inner else HOT_CALLS.get_resource(member)
                )
        elif key == "refs":
            value = [HOT_CALLS.get_resource(name) for name in names]
        elif key == "attributes" and path:
            value = {name: HOT_CALLS.get_attr(name, *path) for name in names}
        elif key not in declared:
            value = [HOT_CALLS.get_attr(name, key, *path) for name in names]
        if value is not None:
            yield output_name([key, *path]), value
