"""Parameters that every template has without naming them (rules/a-template-versions.md#34)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from heat_core.parameters.schema import ParameterSchema
from heat_core.properties.constraints import AllowedValues, ConstraintSet
from heat_core.properties.kinds import Kind

if TYPE_CHECKING:
    from heat_core.stack.identity import HeatIdentifier

_REGIONS = (
    "us-east-1",
    "us-west-1",
    "us-west-2",
    "sa-east-1",
    "eu-west-1",
    "ap-southeast-1",
    "ap-northeast-1",
)

PSEUDO_NAMES: Final[Mapping[str, frozenset[str]]] = {
    "hot": frozenset({"OS::stack_id", "OS::stack_name", "OS::project_id"}),
    "cfn": frozenset({"AWS::StackId", "AWS::StackName", "AWS::Region"}),
}
"""by dialect, whether a template has them or not"""


def _text(default: str, description: str | None = None) -> ParameterSchema:
    return ParameterSchema(
        kind=Kind.STRING, type_name="String", description=description, default=default
    )


def pseudo_parameters(dialect: str, identity: HeatIdentifier | None) -> dict[str, ParameterSchema]:
    """Their schemas, the value as default. Without an identity only the ids are there."""
    if dialect == "hot":
        return _hot(identity)
    return _cfn(identity)


def _hot(identity: HeatIdentifier | None) -> dict[str, ParameterSchema]:
    schemata = {
        "OS::stack_id": _text(identity.stack_id if identity else "", "Stack ID"),
        "OS::project_id": _text(identity.tenant if identity else "", "Project ID"),
    }
    if identity and identity.stack_name:
        schemata["OS::stack_name"] = _text(identity.stack_name, "Stack Name")
    return schemata


def _cfn(identity: HeatIdentifier | None) -> dict[str, ParameterSchema]:
    schemata = {"AWS::StackId": _text(identity.arn() if identity else "None", "Stack ID")}
    if identity and identity.stack_name:
        schemata["AWS::StackName"] = _text(identity.stack_name, "Stack Name")
        schemata["AWS::Region"] = ParameterSchema(
            kind=Kind.STRING,
            type_name="String",
            default="ap-southeast-1",
            constraints=ConstraintSet((AllowedValues(_REGIONS),)),
        )
    return schemata
