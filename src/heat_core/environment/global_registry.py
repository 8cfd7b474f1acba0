"""The registry behind every user's: the built-in types and the default mappings.

An operator's environment files are laid over it once, when an engine starts
(rules/b-environment.md#31). The mappings that come with it: facts/resource-aliases.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from heat_core.environment.registry import Registry

DEFAULT_MAPPINGS: Final[Mapping[str, str]] = {
    "AWS::CloudWatch::Alarm": "file:///etc/heat/templates/AWS_CloudWatch_Alarm.yaml",
    "AWS::RDS::DBInstance": "file:///etc/heat/templates/AWS_RDS_DBInstance.yaml",
    "OS::Ceilometer::Alarm": "OS::Aodh::Alarm",
    "OS::Ceilometer::CombinationAlarm": "OS::Aodh::CombinationAlarm",
    "OS::Ceilometer::GnocchiAggregationByMetricsAlarm": (
        "OS::Aodh::GnocchiAggregationByMetricsAlarm"
    ),
    "OS::Ceilometer::GnocchiAggregationByResourcesAlarm": (
        "OS::Aodh::GnocchiAggregationByResourcesAlarm"
    ),
    "OS::Ceilometer::GnocchiResourcesAlarm": "OS::Aodh::GnocchiResourcesAlarm",
    "OS::Metering::Alarm": "OS::Aodh::Alarm",
    "OS::Quantum*": "OS::Neutron*",
}


def make_global_registry(environments: tuple[Mapping[str, Any], ...] = ()) -> Registry:
    """A global registry with an operator's environments laid over the default mappings."""
    registry = Registry(DEFAULT_MAPPINGS, built_in=_is_built_in)
    for environment in environments:
        registry.load(environment.get("resource_registry", {}))
    return registry


@lru_cache(maxsize=1)
def global_registry() -> Registry:
    """The global registry without an operator's environments; read-only, shared."""
    return make_global_registry()


def _is_built_in(name: str) -> bool:
    # Imported late: the types import the packages that environments are part of.
    from heat_core.resources import registry

    return registry.is_known(name)
