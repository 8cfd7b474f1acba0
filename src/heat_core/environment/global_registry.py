"""The registry behind every user's: the built-in types and the default mappings.

An operator's environment files are laid over it once, when an engine starts
(rules/b-environment.md#31). The mappings that come with Heat, in a file of that folder:
facts/resource-aliases.json.

Which registry it is is ambient (a context variable): every environment that is read stands in front
of the same one, and no reader can forget to pass it on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
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


def make_global_registry(
    environments: tuple[Mapping[str, Any], ...] = (),
    *,
    mappings: Mapping[str, str] = DEFAULT_MAPPINGS,
) -> Registry:
    """A global registry with an operator's environments laid over `mappings`.

    Raises what an entry that can't be used raises: InvalidBreakPointHook and the like.
    """
    registry = Registry(mappings, built_in=_is_built_in)
    for environment in environments:
        registry.load(environment.get("resource_registry", {}))
    return registry


def global_registry() -> Registry:
    """The global registry of this place: the operator's, or the one without any; read-only."""
    return _installed.get() or _without_operator()


@contextmanager
def using_global_registry(registry: Registry) -> Iterator[None]:
    """Let `registry` be the global one in this block, and in tasks and threads begun in it."""
    token = _installed.set(registry)
    try:
        yield
    finally:
        _installed.reset(token)


_installed: ContextVar[Registry | None] = ContextVar("global_registry", default=None)


@lru_cache(maxsize=1)
def _without_operator() -> Registry:
    return make_global_registry()


def _is_built_in(name: str) -> bool:
    # Imported late: the types import the packages that environments are part of.
    from heat_core.resources import registry

    return registry.is_known(name)
