"""OS::Heat::StructuredDeployments: former name of OS::Heat::StructuredDeploymentGroup."""

from __future__ import annotations

from heat_core.properties import (
    deprecated,
    hidden,
)
from heat_core.resources.heat.structured_deployment_group import StructuredDeploymentGroup


class StructuredDeployments(StructuredDeploymentGroup):
    """Former name of OS::Heat::StructuredDeploymentGroup."""

    name = "OS::Heat::StructuredDeployments"
    support = hidden(
        "7.0.0",
        "Replaced by OS::Heat::StructuredDeploymentGroup.",
        previous=deprecated("2014.2"),
        substitute="OS::Heat::StructuredDeploymentGroup",
    )
    is_planned = False
