"""OS::Heat::AutoScalingGroup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import NotFound, StackValidationFailed, TemplateOutputError
from heat_core.procedure import ProcedureIO
from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.contract import Change
from heat_core.resources.nested.acting import ANSWERS_UPDATE
from heat_core.resources.nested.batches import Batch
from heat_core.resources.nested.capacity import new_capacity
from heat_core.resources.nested.generated import (
    HOT_CALLS,
    HOT_VERSION,
    Rendered,
    output_name,
    split_member_key,
)
from heat_core.resources.nested.rolling import RollingStack
from heat_core.resources.nested.scaling_type import ScalingType
from heat_core.resources.nested.stack_type import RESOURCE_PREFIX, Document, NestedStack
from heat_core.resources.nested.surroundings import Surroundings
from heat_core.stack.resource_definition import read_plain
from heat_core.template import version_of


class AutoScalingResourceGroup(RollingStack, ScalingType):
    """A group of resources of one definition whose number scaling policies change."""

    name = "OS::Heat::AutoScalingGroup"
    support = Support(version="2014.1")
    has_open_attributes = True
    announced = frozenset({"check", "metadata_reset", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "resource": Prop.map(
            "Definition of the members, as it would stand in a template.",
            required=True,
            update_allowed=True,
        ),
        "max_size": Prop.integer(
            "Largest number of members.", required=True, update_allowed=True, constraints=[Range(0)]
        ),
        "min_size": Prop.integer(
            "Smallest number of members.",
            required=True,
            update_allowed=True,
            constraints=[Range(0)],
        ),
        "cooldown": Prop.integer(
            "Seconds that must pass between two changes of the size.", update_allowed=True
        ),
        "desired_capacity": Prop.integer("Number of members to begin with.", update_allowed=True),
        "rolling_updates": Prop.map(
            "How members are replaced when their definition changes.",
            default={"max_batch_size": 1, "min_in_service": 0, "pause_time": 0},
            update_allowed=True,
            schema={
                "min_in_service": Prop.integer(
                    "Least number of members that stay untouched meanwhile.",
                    default=0,
                    constraints=[Range(0)],
                ),
                "max_batch_size": Prop.integer(
                    "Greatest number of members replaced at once.",
                    default=1,
                    constraints=[Range(1)],
                ),
                "pause_time": Prop.number(
                    "Seconds between two batches.", default=0, constraints=[Range(0)]
                ),
            },
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "outputs": Attr(
            description="An attribute of every member, by the member's name.",
            kind=Kind.MAP,
            support=Support(version="2014.2"),
        ),
        "outputs_list": Attr(
            description="An attribute of every member, oldest member first.",
            kind=Kind.LIST,
            support=Support(version="2014.2"),
        ),
        "current_size": Attr(
            description="Number of members.", kind=Kind.INTEGER, support=Support(version="2015.1")
        ),
        "refs": Attr(
            description="Reference ids of the members.",
            kind=Kind.LIST,
            support=Support(version="7.0.0"),
        ),
        "refs_map": Attr(
            description="Reference ids by member name.",
            kind=Kind.MAP,
            support=Support(version="7.0.0"),
        ),
    }

    def validate_first(self, props: Mapping[str, Any]) -> None:
        check_sizes(
            minimum=props["min_size"],
            maximum=props["max_size"],
            desired=props["desired_capacity"],
        )

    # --- the nested stack --------------------------------------------------------------------

    def initial_size(self, at: Surroundings) -> int:
        size: int = at.properties["desired_capacity"] or at.properties["min_size"]
        return size

    def member_definition(self, at: Surroundings) -> Rendered:
        """The definition as the user wrote it, with functions resolved.

        KeyError without a type, TypeError for a field of the wrong kind.
        """
        written = at.properties["resource"]
        return read_plain("member", written, version_of(dict([HOT_VERSION]))).as_hot()

    def outputs(self, at: Surroundings, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Maps throughout: the order of members is not known when the template is made."""
        for key, *path in at.referenced:
            read = _path_in_members(key, path)
            if read:
                value = {name: HOT_CALLS.get_attr(name, *read) for name in names}
                yield output_name(["outputs", *read]), value
        yield "refs_map", {name: HOT_CALLS.get_resource(name) for name in names}

    def update_batches(self, at: Surroundings) -> list[Batch]:
        """The steps that give the members a new definition."""
        policy = at.properties["rolling_updates"]
        return self.batches(
            at.properties["desired_capacity"],
            at.members,
            policy["max_batch_size"],
            policy["min_in_service"],
        )

    def capacity(self, at: Surroundings) -> int:
        """How many members an update leaves: the wanted number, else as many as there are."""
        current = at.members.size()
        return new_capacity(
            current,
            at.properties["desired_capacity"] or current,
            "exact_capacity",
            minimum=at.properties["min_size"],
            maximum=at.properties["max_size"],
        )

    def child_files(
        self, at: Surroundings, earlier: Mapping[str, str] | None = None
    ) -> Mapping[str, str]:
        """Members keep the old definition for a while, so its files stay."""
        return {**(earlier or {}), **at.definition.template.files}

    # --- actions -----------------------------------------------------------------------------

    async def start_update(self, io: ProcedureIO, change: Change) -> None:
        """All that an update does is told from the members that there are: see finish_update."""
        await self.child_to_update(io)

    async def finish_update(self, io: ProcedureIO, change: Change) -> None:
        """Give the members their new definition in batches, then the group its size."""
        if "resource" in change.changed:
            at: Surroundings = await io.survey_child(self.view.physical_id)
            batches = await io.evaluate(lambda: self.update_batches(at))
            pause_seconds = at.properties["rolling_updates"]["pause_time"]
            await self.roll(io, batches, pause_seconds, self.batch_template)
        await self.update_to(io, lambda at: self.resized(at, self.capacity(at)))
        await self.follow(io, ANSWERS_UPDATE)

    def batch_template(self, at: Surroundings, batch: Batch) -> Document:
        """The nested template of one step."""
        return self.resized(at, batch.capacity, updates=batch.updates)

    # --- reading -----------------------------------------------------------------------------

    async def read_attribute(
        self, nested: NestedStack | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        if key == "current_size":
            return 0 if nested is None else (await nested.members()).size()
        if key.startswith(RESOURCE_PREFIX):
            return await self._read_by_index(nested, key, *path)
        if key == "refs_map":
            return await self._reference_map(nested)
        if key == "refs":
            values = {} if nested is None else await self.member_values(nested, "refs_map", ())
            return list(values.values())
        if key not in ("outputs", "outputs_list") or not path:
            raise self.no_attribute(key)
        values = {}
        if nested is not None:
            values = await self.member_values(nested, output_name(["outputs", *path]), path)
        return values if key == "outputs" else list(values.values())

    async def _reference_map(self, nested: NestedStack | None) -> dict[str, Any]:
        if nested is None:
            return {}
        members = [one for one in (await nested.members()).all if not one.failed]
        try:
            references = await nested.output("refs_map")
        except (NotFound, TemplateOutputError):
            return {one.name: one.physical_id for one in members}
        return {one.name: references[one.name] for one in members if one.name in references}

    async def _read_by_index(self, nested: NestedStack | None, key: str, *path: Any) -> Any:
        """What "resource.<number>[.<attribute>]" leads to: members are counted by their age."""
        index, rest = split_member_key(key)
        if nested is None:
            int(index)
            raise self.no_member(index)
        inner = (*rest, *path)
        names = (await nested.members()).names(failed=False)
        try:
            output = await nested.output(
                output_name(["outputs", *inner] if inner else ["refs_map"])
            )
        except (NotFound, TemplateOutputError):
            try:
                name = names[int(index)]
            except IndexError:
                raise self.no_member(index) from None
            return await self.read_member(nested, name, *inner)
        try:
            return output[names[int(index)]]
        except (IndexError, KeyError):
            raise self.no_member(index) from None


def check_sizes(*, minimum: int, maximum: int, desired: int | None) -> None:
    """Raise StackValidationFailed for sizes of a scaling group that contradict each other."""
    if maximum < minimum:
        raise StackValidationFailed(message="MinSize can not be greater than MaxSize")
    if minimum < 0:
        raise StackValidationFailed(
            message="The size of AutoScalingGroup can not be less than zero"
        )
    if desired is not None and not minimum <= desired <= maximum:
        raise StackValidationFailed(message="DesiredCapacity must be between MinSize and MaxSize")


def _path_in_members(key: str, path: Sequence[Any]) -> list[Any]:
    """What an attribute of the group reads in each member; [] when it needs no output."""
    if key in ("outputs", "outputs_list"):
        return list(path)
    if key.startswith(RESOURCE_PREFIX):
        _, rest = split_member_key(key)
        return [*rest, *path]
    return []
