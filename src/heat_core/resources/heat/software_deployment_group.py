"""OS::Heat::SoftwareDeploymentGroup: applies one software config to many servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, Final

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Prop,
    Range,
    Support,
    select_from_attribute,
)
from heat_core.resources.contract import Change
from heat_core.resources.heat.deployment_properties import ACTIONS
from heat_core.resources.heat.resource_group import ResourceGroup
from heat_core.resources.nested.generated import HOT_CALLS, Rendered, output_name, rendered
from heat_core.resources.nested.removal import RemovedNames
from heat_core.resources.nested.stack_type import NestedStack
from heat_core.resources.nested.surroundings import Surroundings

_MEMBER_ATTRIBUTES: Final[Mapping[str, str]] = {
    "deploy_stdouts": "deploy_stdout",
    "deploy_stderrs": "deploy_stderr",
    "deploy_status_codes": "deploy_status_code",
}
"""attribute of the group -> attribute of a deployment; any other is the same in both"""


class SoftwareDeploymentGroup(ResourceGroup):
    """Applies one software config to many servers."""

    name = "OS::Heat::SoftwareDeploymentGroup"
    support = Support(version="5.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "servers": Prop.map(
            "References to the servers, by name.", required=True, update_allowed=True
        ),
        "config": Prop.string("Id of the config or component.", update_allowed=True),
        "input_values": Prop.map(
            "Values by input name, the same for all servers.", update_allowed=True
        ),
        "actions": ACTIONS,
        "name": Prop.string("Name of every deployment, seen on the server.", update_allowed=True),
        "signal_transport": Prop.string(
            "How the servers tell that they are done.",
            default="CFN_SIGNAL",
            constraints=[
                AllowedValues(
                    ["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL"]
                )
            ],
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "deploy_stdouts": Attr(
            description="Standard output of each server, by name.", kind=Kind.MAP
        ),
        "deploy_stderrs": Attr(
            description="Standard error of each server, by name.", kind=Kind.MAP
        ),
        "deploy_status_codes": Attr(
            description="Exit status of each server, by name.", kind=Kind.MAP
        ),
    }
    update_policy: ClassVar[Mapping[str, Prop]] = {
        "rolling_update": Prop.map(
            schema={
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
            support=Support(version="7.0.0"),
        ),
        "batch_create": Prop.map(
            schema={
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
            support=Support(version="7.0.0"),
        ),
    }

    # --- members: one a server, with the server's name ---------------------------------------

    def size(self, at: Surroundings) -> int | None:
        return len(at.properties["servers"])

    def names(self, at: Surroundings, size: int | None = None) -> list[str]:
        return list(islice(at.properties["servers"], size))

    def removed(self, at: Surroundings) -> RemovedNames:
        """No name is ever given up."""
        return RemovedNames(frozenset())

    def shared_definition(self, at: Surroundings, *, keep_nulls: bool = False) -> Mapping[str, Any]:
        return dict(at.properties)

    def member_definition(
        self, at: Surroundings, name: str, definition: Mapping[str, Any]
    ) -> Rendered:
        shared = {key: value for key, value in definition.items() if key != "servers"}
        server = definition["servers"].get(name)
        return rendered("OS::Heat::SoftwareDeployment", properties={**shared, "server": server})

    def outputs(self, at: Surroundings, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        for key, *_ in at.referenced:
            attribute = _MEMBER_ATTRIBUTES.get(key, key)
            value = {name: HOT_CALLS.get_attr(name, attribute) for name in names}
            yield output_name(["attributes", attribute]), value

    def redefines(self, change: Change) -> bool:
        return bool(change.changed)

    def in_service(self, policy: Mapping[str, Any]) -> int:
        return 0

    async def read_attribute(
        self, nested: NestedStack | None, at: Surroundings, key: str, *path: Any
    ) -> Any:
        attribute = _MEMBER_ATTRIBUTES.get(key, key)
        value = await super().read_attribute(nested, at, "attributes", attribute)
        return select_from_attribute(value, path)
