"""OS::Trove::Instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedPattern,
    Attr,
    Custom,
    Kind,
    Length,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.trove.networks import NETWORK
from heat_core.resources.trove.trove_type import TroveType
from heat_core.resources.unbuilt import Unbuilt


class Instance(Unbuilt, TroveType):
    """A database server."""

    name = "OS::Trove::Instance"
    support = Support(version="2014.1")
    entity = "instances"
    is_planned = False
    announced = frozenset({"check"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True, constraints=[Length(max=255)]),
        "flavor": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("trove.flavor")]
        ),
        "datastore_type": Prop.string(constraints=[Length(max=255)]),
        "datastore_version": Prop.string(constraints=[Length(max=255)]),
        "size": Prop.integer(required=True, update_allowed=True, constraints=[Range(1, 150)]),
        "networks": Prop.list(default=[], schema=NETWORK),
        "databases": Prop.list(
            default=[],
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "character_set": Prop.string(default="utf8"),
                    "collate": Prop.string(default="utf8_general_ci"),
                    "name": Prop.string(
                        required=True,
                        constraints=[
                            Length(max=64),
                            AllowedPattern(
                                "[a-zA-Z0-9_\\-]+[a-zA-Z0-9_@?#\\s\\-]*[a-zA-Z0-9_\\-]+"
                            ),
                        ],
                    ),
                }
            ),
        ),
        "users": Prop.list(
            default=[],
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "name": Prop.string(
                        required=True,
                        update_allowed=True,
                        constraints=[
                            Length(max=16),
                            AllowedPattern("[a-zA-Z0-9_]+[a-zA-Z0-9_@?#\\s]*[a-zA-Z0-9_]+"),
                        ],
                    ),
                    "password": Prop.string(
                        required=True,
                        update_allowed=True,
                        constraints=[
                            AllowedPattern("[a-zA-Z0-9_]+[a-zA-Z0-9_@?#\\s]*[a-zA-Z0-9_]+")
                        ],
                    ),
                    "host": Prop.string(default="%", update_allowed=True),
                    "databases": Prop.list(
                        required=True,
                        update_allowed=True,
                        constraints=[Length(1)],
                        schema=Prop.string(),
                    ),
                }
            ),
        ),
        "availability_zone": Prop.string(),
        "restore_point": Prop.string(),
        "replica_of": Prop.string(support=Support(version="5.0.0")),
        "replica_count": Prop.integer(support=Support(version="5.0.0")),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "hostname": Attr(kind=Kind.STRING),
        "href": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["flavor"], "trove", "find_flavor_by_name_or_id"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        databases = {database["name"] for database in props["databases"] or ()}
        for user in props["users"] or ():
            if not databases:
                refuse(
                    "Databases property is required if users property is provided for resource "
                    f"{self.view.name}."
                )
            missing = [name for name in user["databases"] if name not in databases]
            if missing:
                refuse(
                    f"Database {missing} specified for user does not exist in databases for "
                    f"resource {self.view.name}."
                )
        for network in props["networks"]:
            if (network["network"] is None) == (network["port"] is None):
                refuse("Either network or port must be provided.")
