"""OS::Magnum::Cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.magnum.magnum_type import MagnumType
from heat_core.resources.unbuilt import Unbuilt


class Cluster(Unbuilt, MagnumType):
    """A cluster that runs containers."""

    name = "OS::Magnum::Cluster"
    support = Support(version="9.0.0")
    entity = "clusters"
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "cluster_template": Prop.string(
            required=True, constraints=[Custom("magnum.cluster_template")]
        ),
        "keypair": Prop.string(constraints=[Custom("nova.keypair")]),
        "node_count": Prop.integer(default=1, update_allowed=True, constraints=[Range(1)]),
        "master_count": Prop.integer(default=1, update_allowed=True, constraints=[Range(1)]),
        "discovery_url": Prop.string(update_allowed=True),
        "create_timeout": Prop.integer(default=60, update_allowed=True, constraints=[Range(0)]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "api_address": Attr(kind=Kind.STRING),
        "stack_id": Attr(kind=Kind.STRING),
        "coe_version": Attr(kind=Kind.STRING),
        "master_addresses": Attr(kind=Kind.LIST),
        "status": Attr(kind=Kind.STRING),
        "master_count": Attr(kind=Kind.INTEGER),
        "node_addresses": Attr(kind=Kind.LIST),
        "status_reason": Attr(kind=Kind.STRING),
        "node_count": Attr(kind=Kind.INTEGER),
        "name": Attr(kind=Kind.STRING),
        "container_version": Attr(kind=Kind.STRING),
        "discovery_url": Attr(kind=Kind.STRING),
        "cluster_template_id": Attr(kind=Kind.STRING),
        "keypair": Attr(kind=Kind.STRING),
        "create_timeout": Attr(kind=Kind.INTEGER),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["cluster_template"], "magnum", "get_cluster_template"),)
