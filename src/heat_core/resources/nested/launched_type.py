"""What groups of instances have in common: members made from a launch configuration beside them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from heat_core.resources.inputs import bind
from heat_core.resources.nested.batches import Batch
from heat_core.resources.nested.durations import duration_seconds
from heat_core.resources.nested.generated import (
    CFN_CALLS,
    NamedDefinitions,
    Rendered,
    cfn_document,
    rendered,
)
from heat_core.resources.nested.scaling_type import SCALED_RESOURCE, ScalingType
from heat_core.resources.nested.stack_type import NestedStack
from heat_core.resources.nested.surroundings import Surroundings

INSTANCE_LIST: Final = "InstanceList"
REFERENCES: Final = "references"
_ADDRESS: Final = "PublicIp"
_CONFIGURATION: Final = "LaunchConfigurationName"
_LONGEST_PAUSE_SECONDS: Final = 3600
_FILTERED: Final = ("BlockDeviceMappings", "NovaSchedulerHints")


class LaunchedType(ScalingType):
    """A group of instances; its nested template is CloudFormation's."""

    rolling_update: ClassVar[str]
    """the key of its update policy"""

    # --- checks ------------------------------------------------------------------------------

    def validate_before(self, at: Surroundings) -> None:
        """The launch configuration must be in the template, and be referred to.

        ValueError, as for every property that cannot be used.
        """
        reference = at.properties.get(_CONFIGURATION)
        if not reference:
            return
        name = self._configuration_name(at)
        if name is None:
            raise ValueError(f"{_CONFIGURATION} ({reference}) reference can not be found.")
        if name not in at.definition.requires[at.name]:
            raise ValueError(
                f"{_CONFIGURATION} ({reference}) requires a reference to the configuration not "
                "just the name of the resource."
            )

    def validate_after(self, at: Surroundings) -> None:
        policy = at.update_policy.get(self.rolling_update)
        if policy is not None and duration_seconds(policy["PauseTime"]) > _LONGEST_PAUSE_SECONDS:
            raise ValueError("Maximum PauseTime is 1 hour.")

    # --- the nested stack --------------------------------------------------------------------

    def make_document(
        self, definitions: NamedDefinitions, outputs: Mapping[str, Any]
    ) -> dict[str, Any]:
        return cfn_document(definitions, outputs)

    def member_definition(self, at: Surroundings) -> Rendered:
        """An instance with the configuration's properties and metadata.

        What a configuration takes over from an instance that exists is not part of it: a service
        knows that.
        """
        properties, metadata = self._launched(at)
        properties.pop("InstanceId", None)
        properties["Tags"] = self.tags(at)
        return rendered(SCALED_RESOURCE, properties=properties, metadata=metadata)

    @abstractmethod
    def tags(self, at: Surroundings) -> list[Any]:
        """The tags of every member."""

    def own_tags(self, at: Surroundings) -> list[Any]:
        """The group's tags, with one that metering goes by unless the user gave one."""
        tags = list(at.properties.get("Tags") or [])
        if any(tag["Key"].startswith("metering.") for tag in tags):
            return tags
        return [*tags, {"Key": "metering.groupname", "Value": self.reference_id()}]

    def outputs(self, at: Surroundings, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        if any(key == INSTANCE_LIST for key, *_ in at.referenced):
            yield INSTANCE_LIST, {name: CFN_CALLS.get_attr(name, _ADDRESS) for name in names}
        yield REFERENCES, {name: CFN_CALLS.get_resource(name) for name in names}

    def update_batches(self, at: Surroundings) -> list[Batch]:
        """The steps that give the members a new configuration; none when it is done at once."""
        policy = at.update_policy.get(self.rolling_update)
        if not policy:
            return []
        return self.batches(
            self.wanted_size(at),
            at.members,
            policy["MaxBatchSize"],
            policy["MinInstancesInService"],
        )

    @abstractmethod
    def wanted_size(self, at: Surroundings) -> int | None:
        """How many members the user wants, None for as many as there are."""

    def child_files(
        self, at: Surroundings, earlier: Mapping[str, str] | None = None
    ) -> Mapping[str, str]:
        """While members are updated in batches the files of both their definitions are there."""
        files = at.definition.template.files
        if earlier is None or not at.update_policy.get(self.rolling_update):
            return files
        return {**earlier, **files}

    # --- the launch configuration ------------------------------------------------------------

    def _configuration_name(self, at: Surroundings) -> str | None:
        """The name of the resource whose reference the group has."""
        reference = at.properties.get(_CONFIGURATION)
        for name in at.definition.resources:
            node = at.nodes.get(name)
            if reference == (name if node is None else node.reference_id):
                return name
        return None

    def _launched(self, at: Surroundings) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """Properties and metadata for the instances, as the configuration gives them."""
        name = self._configuration_name(at)
        if name is None:
            return {}, {}
        frozen = at.definition.resources[name].freeze(at.definition, at.nodes)
        given = frozen.properties
        bound = bind(at.definition.resource_class(name), given, find=False)
        properties = {key: bound[key] for key in bound if key in given}
        for key in _FILTERED:
            if properties.get(key) is not None:
                properties[key] = _only_given(properties[key], given[key])
        return properties, frozen.metadata

    # --- reading -----------------------------------------------------------------------------

    async def read_attribute(
        self, nested: NestedStack | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        if key != INSTANCE_LIST:
            raise self.no_attribute(key)
        if nested is None:
            return None
        values = await self.member_values(nested, INSTANCE_LIST, (_ADDRESS,))
        return ",".join(value or "0.0.0.0" for value in values.values()) or None


def _only_given(items: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]]) -> Any:
    """The items without the keys that the user left out."""
    return [
        {key: value for key, value in item.items() if key in written}
        for item, written in zip(items, given, strict=True)
    ]
