"""OS::Heat::SoftwareDeployments: former name of OS::Heat::SoftwareDeploymentGroup."""

from __future__ import annotations

from heat_core.properties import (
    deprecated,
    hidden,
)
from heat_core.resources.heat.software_deployment_group import SoftwareDeploymentGroup


class SoftwareDeployments(SoftwareDeploymentGroup):
    """Former name of OS::Heat::SoftwareDeploymentGroup."""

    name = "OS::Heat::SoftwareDeployments"
    support = hidden(
        "7.0.0",
        "Replaced by OS::Heat::SoftwareDeploymentGroup.",
        previous=deprecated("2014.2"),
        substitute="OS::Heat::SoftwareDeploymentGroup",
    )
    is_planned = False
