"""OS::Neutron::RBACPolicy: lets other projects use an object of this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    StackValidationFailed,
)
from heat_core.properties import (
    AllowedValues,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt

_ENTITIES = {"qos_policy": "policy"}
"""object types that the client knows under another name"""
_SHARED = ("access_as_shared",)
_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "network": (*_SHARED, "access_as_external"),
    "qos_policy": _SHARED,
    "security_group": _SHARED,
    "address_scope": _SHARED,
    "subnetpool": _SHARED,
}
"""object type -> what others may be let do with it"""


class RBACPolicy(Unbuilt, NeutronType):
    """Lets other projects use an object of this one."""

    name = "OS::Neutron::RBACPolicy"
    support = Support(version="6.0.0")
    required_extension = "rbac-policies"
    entity = "rbac_policy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "object_type": Prop.string(
            "Kind of the object.",
            required=True,
            constraints=[
                AllowedValues(
                    ["network", "qos_policy", "security_group", "address_scope", "subnetpool"]
                )
            ],
        ),
        "target_tenant": Prop.string(
            "Id of the project that may use it; * for all.", required=True, update_allowed=True
        ),
        "action": Prop.string(
            "What it may be used for.",
            required=True,
            constraints=[AllowedValues(["access_as_shared", "access_as_external"])],
        ),
        "object_id": Prop.string("Name or id of the object.", required=True),
        "tenant_id": Prop.string("Id of the project that owns the policy; for administrators."),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        kind = props.user_value("object_type")
        return (
            rule.resolve(
                ["object_id"],
                "neutron",
                "find_resourceid_by_name_or_id",
                _ENTITIES.get(kind, kind),
            ),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        kind, action = props["object_type"], props["action"]
        allowed = _ACTIONS[kind]
        if action not in allowed:
            raise StackValidationFailed(
                error="Property error",
                path=["resources", self.view.name, "properties", "action"],
                message=f'Invalid action "{action}" for object type {kind}. '
                f"Valid actions: {', '.join(allowed)}",
            )
