"""OS::Heat::SoftwareDeployments."""

from __future__ import annotations

from heat_core.properties import (
    deprecated,
    hidden,
)
from heat_core.resources.heat.software_deployment_group import SoftwareDeploymentGroup


class SoftwareDeployments(SoftwareDeploymentGroup):
    name = "OS::Heat::SoftwareDeployments"
    support = hidden(
        "7.0.0",
        "Replaced by OS::Heat::SoftwareDeploymentGroup.",
        previous=deprecated("2014.2"),
        substitute="OS::Heat::SoftwareDeploymentGroup",
    )
    is_planned = False
