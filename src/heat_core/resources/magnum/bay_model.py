"""OS::Magnum::BayModel: former name of OS::Magnum::ClusterTemplate."""

from __future__ import annotations

from collections.abc import Sequence

from heat_core.properties import (
    Properties,
    Rule,
    Support,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.magnum.cluster_template import ClusterTemplate


class BayModel(ClusterTemplate):
    """Former name of OS::Magnum::ClusterTemplate."""

    name = "OS::Magnum::BayModel"
    support = hidden(
        "11.0.0",
        "Replaced by OS::Magnum::ClusterTemplate.",
        previous=deprecated(
            "9.0.0",
            "Replaced by OS::Magnum::ClusterTemplate.",
            previous=Support(version="5.0.0"),
            substitute="OS::Magnum::ClusterTemplate",
        ),
    )

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        # A property of long ago: names of networks stay names here, unlike in the type's successor.
        return (rule.delete(["ssh_authorized_key"]),)
