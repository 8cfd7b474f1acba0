"""OS::Heat::ResourceGroup: any number of resources of one definition."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar, Final, Self

from heat_core.errors import NotFound, TemplateOutputError
from heat_core.procedure import Datum, ProcedureIO
from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Length,
    Prop,
    Range,
    Support,
    select_from_attribute,
)
from heat_core.resources.contract import Change
from heat_core.resources.nested.acting import ANSWERS_UPDATE
from heat_core.resources.nested.batches import Batch, resource_group_batches
from heat_core.resources.nested.generated import (
    HOT_CALLS,
    Rendered,
    changed_members,
    hot_document,
    output_name,
    rendered,
    split_member_key,
)
from heat_core.resources.nested.removal import (
    STORED_KEY,
    RemovedNames,
    newly_removed,
    removed_names,
    stored_names,
    unused_names,
)
from heat_core.resources.nested.rolling import RollingStack
from heat_core.resources.nested.stack_type import (
    RESOURCE_PREFIX,
    CheckChild,
    Document,
    NestedStack,
)
from heat_core.resources.nested.surroundings import Surroundings
from heat_core.stack.states import Action

_EMPTY: Final[Document] = {"heat_template_version": "2013-05-23"}


class ResourceGroup(RollingStack):
    """Any number of resources of one definition."""

    name = "OS::Heat::ResourceGroup"
    support = Support(version="2014.1")
    has_open_attributes = True
    announced = frozenset({"adopt", "check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "count": Prop.integer(
            "Number of members.", default=1, update_allowed=True, constraints=[Range(0)]
        ),
        "index_var": Prop.string(
            "Text in the definition that stands for a member's index.",
            default="%index%",
            constraints=[Length(3)],
            support=Support(version="2014.2"),
        ),
        "resource_def": Prop.map(
            "Definition of every member.",
            required=True,
            update_allowed=True,
            schema={
                "type": Prop.string("Type of the members.", required=True),
                "properties": Prop.map("Properties of the members."),
                "metadata": Prop.map("Metadata of the members.", support=Support(version="5.0.0")),
            },
        ),
        "removal_policies": Prop.list(
            "Which members go first when the group shrinks.",
            default=[],
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "resource_list": Prop.list(
                        "Members by index or reference id; the first go first.", default=[]
                    )
                }
            ),
            support=Support(version="2015.1"),
        ),
        "removal_policies_mode": Prop.string(
            "Whether the list adds to the members removed before or replaces them.",
            default="append",
            update_allowed=True,
            constraints=[AllowedValues(["append", "update"])],
            support=Support(version="10.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "refs": Attr(description="Reference ids of the members, by index.", kind=Kind.LIST),
        "refs_map": Attr(
            description="Reference ids by member name.",
            kind=Kind.MAP,
            support=Support(version="7.0.0"),
        ),
        "attributes": Attr(
            description="An attribute of every member, by its name.",
            kind=Kind.MAP,
            support=Support(version="2014.2"),
        ),
        "removed_rsrc_list": Attr(
            description="Names that removed members had; they are not given again.",
            kind=Kind.LIST,
            support=Support(version="7.0.0"),
        ),
    }
    update_policy: ClassVar[Mapping[str, Prop]] = {
        "rolling_update": Prop.map(
            schema={
                "min_in_service": Prop.integer(default=0, constraints=[Range(0)]),
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
            support=Support(version="5.0.0"),
        ),
        "batch_create": Prop.map(
            schema={
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
            support=Support(version="5.0.0"),
        ),
    }

    _is_settled = False

    # --- members -----------------------------------------------------------------------------

    def size(self, at: Surroundings) -> int | None:
        """How many members are wanted."""
        size: int | None = at.properties.get("count")
        return size

    def removed(self, at: Surroundings) -> RemovedNames:
        """The names not to use, once the removal policies have been looked at.

        That is done once an update: what its first step removes cannot be found any more.
        """
        stored = stored_names(self.view.data)
        if self._is_settled:
            return RemovedNames(frozenset(stored))
        new = newly_removed(
            at.properties.get("removal_policies", ()),
            stored,
            exists=self.view.physical_id is not None,
            members=at.members,
        )
        replaces = at.properties.get("removal_policies_mode") == "update"
        return removed_names(stored, new, replaces_stored=replaces)

    def names(self, at: Surroundings, size: int | None = None) -> list[str]:
        """The names of the members wanted, or of as many as `size`. RequestLimitExceeded."""
        wanted = (self.size(at) or 0) if size is None else size
        at.limits.check_resources(wanted)  # not made only to be refused
        return list(islice(unused_names(self.removed(at).names), wanted))

    def shared_definition(self, at: Surroundings, *, keep_nulls: bool = False) -> Mapping[str, Any]:
        """What all members are made from; properties that are null are left out unless kept."""
        definition: Mapping[str, Any] = at.lenient["resource_def"]
        properties = definition.get("properties")
        if keep_nulls or not properties:
            return definition
        given = {key: value for key, value in properties.items() if value is not None}
        return {**definition, "properties": given}

    def member_definition(
        self, at: Surroundings, name: str, definition: Mapping[str, Any]
    ) -> Rendered:
        """The definition of one member: its name stands for the index variable in properties."""
        properties = definition["properties"]
        if properties:
            properties = _with_index(properties, at.lenient["index_var"], name)
        return rendered(definition["type"], properties=properties, metadata=definition["metadata"])

    # --- templates ---------------------------------------------------------------------------

    def child_template(self, at: Surroundings) -> Document:
        return self.document(at, self.names(at))

    def template_for_parameters(self, at: Surroundings) -> Document:
        """One member shows the parameters of all."""
        return self.document(at, self.names(at, 1))

    def document(
        self, at: Surroundings, names: Sequence[str], *, keep_nulls: bool = False
    ) -> dict[str, Any]:
        """A nested template of these members."""
        shared = self.shared_definition(at, keep_nulls=keep_nulls)
        members = [(name, self.member_definition(at, name, shared)) for name in names]
        return hot_document(members, dict(self.outputs(at, names)))

    def validate_child(self, at: Surroundings, check: CheckChild) -> None:
        """One member stands for all; a group of none may have a definition of anything."""
        if not self.size(at):
            return
        document = self.document(at, self.names(at, 1), keep_nulls=True)
        for definition in document["resources"].values():
            at.definition.template.environment.registry.find_for(definition["type"], None)
        check(lambda: document)

    def outputs(self, at: Surroundings, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Outputs for the attributes that the parent reads, and one for all references."""
        for key, *path in at.referenced:
            value = _collected(key, path, names, self.attributes)
            if value is not None:
                yield ("refs" if key == "refs" else output_name([key, *path])), value
        yield "refs_map", {name: HOT_CALLS.get_resource(name) for name in names}

    # --- batches -----------------------------------------------------------------------------

    def creation_batches(self, at: Surroundings) -> list[Batch]:
        """The steps of a creation in batches; none when it is done at once."""
        policy = at.update_policy["batch_create"]
        if not policy or not self.size(at):
            return []
        return self._batches(at, policy["max_batch_size"], 0, creating=True)

    def update_batches(self, at: Surroundings) -> list[Batch]:
        """The steps of an update of the members' definition; none when it is done at once."""
        policy = at.update_policy["rolling_update"]
        if not policy:
            return []
        return self._batches(at, policy["max_batch_size"], self.in_service(policy))

    def in_service(self, policy: Mapping[str, Any]) -> int:
        """How many members have to work at any time of an update."""
        minimum: int = policy["min_in_service"]
        return minimum

    def _batches(
        self, at: Surroundings, batch_size: int, in_service: int, *, creating: bool = False
    ) -> list[Batch]:
        leaving = self.removed(at).names & set(at.members.names(failed=False))
        current = at.members.size(failed=True) - len(leaving)
        batches = resource_group_batches(
            self.size(at) or 0, current, batch_size, in_service, updated=current if creating else 0
        )
        return list(batches)

    def batch_template(self, at: Surroundings, batch: Batch) -> Document:
        """The nested template of one step; members of high index are updated first."""
        names = self.names(at, batch.capacity)
        removed = self.removed(at).names
        target = self.size(at) or 0
        present = [
            (name, definition)
            for name, definition in at.members.definitions(failed=False)
            if name not in removed
        ]

        def turn(member: tuple[str, Rendered]) -> int:
            if member[0] not in names:
                return 0  # goes at once
            index = names.index(member[0])
            return target - index if index < target else batch.capacity

        known = {name for name, _ in present}
        new_names = (name for name in names if name not in known)
        members = changed_members(
            sorted(present, key=turn),
            self.shared_definition(at),
            size=batch.capacity,
            updates=batch.updates,
            new_name=new_names.__next__,
            customised=lambda name, definition: self.member_definition(at, name, definition),
        )
        return hot_document(list(members), dict(self.outputs(at, names)))

    def child_files(
        self, at: Surroundings, earlier: Mapping[str, str] | None = None
    ) -> Mapping[str, str]:
        """While members are updated in batches the files of both their definitions are there."""
        if earlier is None or not at.update_policy["rolling_update"]:
            return at.definition.template.files
        return {**earlier, **at.definition.template.files}

    # --- actions -----------------------------------------------------------------------------

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        """In batches the group begins with none; else all are made at once."""
        at: Surroundings = await io.survey_child()
        group = await self._settled(io, at)
        batches = await io.evaluate(lambda: group.creation_batches(at))
        if batches:
            group.minutes_for(batches, at.update_policy["batch_create"]["pause_time"])
            document: Document = _EMPTY
        else:
            document = await io.evaluate(lambda: group.child_template(at))
        await io.created(await io.create_child(document))

    async def finish_create(self, io: ProcedureIO) -> None:
        await self.follow(io, frozenset({Action.CREATE, Action.UPDATE}))
        group = self._as_settled()
        at: Surroundings = await io.survey_child(self.view.physical_id)
        batches = await io.evaluate(lambda: group.creation_batches(at))
        if batches:
            pause_seconds = at.update_policy["batch_create"]["pause_time"]
            await group.roll(io, batches, pause_seconds, group.batch_template)

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        child_id = await self.child_to_update(io)
        at: Surroundings = await io.survey_child(child_id)
        group = await self._settled(io, at)
        if not await group.rolling_batches(io, at, change):
            await group.update_to(io, group.child_template)

    async def finish_update(self, io: ProcedureIO, change: Change) -> None:
        group = self._as_settled()
        at: Surroundings = await io.survey_child(self.view.physical_id)
        batches = await group.rolling_batches(io, at, change)
        if batches:
            pause_seconds = at.update_policy["rolling_update"]["pause_time"]
            await group.roll(io, batches, pause_seconds, group.batch_template)
        else:
            await self.follow(io, ANSWERS_UPDATE)

    async def rolling_batches(
        self, io: ProcedureIO, at: Surroundings, change: Change
    ) -> Sequence[Batch]:
        """The steps of this change; none when it is done at once."""
        if not self.redefines(change):
            return ()
        return await io.evaluate(lambda: self.update_batches(at))

    def redefines(self, change: Change) -> bool:
        """Whether the members get another definition."""
        return "resource_def" in change.changed

    async def _settled(self, io: ProcedureIO, at: Surroundings) -> Self:
        """The group, once it is stored which names are not used any more."""
        removed = await io.evaluate(lambda: self.removed(at))
        if removed.to_store is not None:
            await io.store(Datum(STORED_KEY, removed.to_store))
        return self._as_settled(removed.names)

    def _as_settled(self, names: Collection[str] | None = None) -> Self:
        view = self.view
        if names is not None:
            view = replace(view, data={**view.data, STORED_KEY: ",".join(sorted(names))})
        settled = type(self)(view)
        settled._is_settled = True
        return settled

    # --- reading -----------------------------------------------------------------------------

    async def read_attribute(
        self, nested: NestedStack | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        if key == "removed_rsrc_list":
            return stored_names(self.view.data)
        if key == "attributes" and not path:
            raise self.no_attribute(key)
        member = key.split(".", 2)[1:] if key.startswith(RESOURCE_PREFIX) and not path else []
        if nested is not None:
            try:
                output = await nested.output(_output_of(key, path, member))
            except (NotFound, TemplateOutputError):
                pass
            else:
                if len(member) == 1:
                    if member[0] not in output:
                        raise self.no_member(member[0])
                    return output[member[0]]
                return select_from_attribute(output, path) if key == "refs" else output
        return await self._read_members(nested, at, key, *path)

    async def _read_members(
        self, nested: NestedStack | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        """The value from the members themselves: no output has it."""
        if key.startswith(RESOURCE_PREFIX):
            return await self.read_member_key(nested, key, *path)
        names = self.names(at)
        if key == "refs":
            references = [await self.read_member(nested, name) for name in names]
            return select_from_attribute(references, path)
        if key == "refs_map":
            return {name: await self.read_member(nested, name) for name in names}
        if key == "attributes":
            return {name: await self.read_member(nested, name, *path) for name in names}
        return [await self.read_member(nested, name, key, *path) for name in names]


def _output_of(key: str, path: Sequence[Any], member: Sequence[str]) -> str:
    if len(member) == 1:
        return "refs_map"
    return "refs" if key == "refs" else output_name([key, *path])


def _collected(
    key: str, path: Sequence[Any], names: Sequence[str], declared: Mapping[str, Any]
) -> Any:
    """The value of the output for one attribute that is read; None when it needs no output."""
    if key.startswith(RESOURCE_PREFIX):
        member, rest = split_member_key(key)
        inner = [*rest, *path]
        return HOT_CALLS.get_attr(member, *inner) if inner and member in names else None
    if key == "refs":
        return [HOT_CALLS.get_resource(name) for name in names]
    if key == "attributes" and path:
        return {name: HOT_CALLS.get_attr(name, *path) for name in names}
    if key not in declared:
        return [HOT_CALLS.get_attr(name, key, *path) for name in names]
    return None


def _with_index(value: Any, variable: str, name: str) -> Any:
    """The value with the member's name in place of the variable, in every text but map keys."""
    if isinstance(value, str):
        return value.replace(variable, name)
    if isinstance(value, Mapping):
        return {key: _with_index(member, variable, name) for key, member in value.items()}
    if isinstance(value, Sequence):
        return [_with_index(member, variable, name) for member in value]
    return value
