"""The environment of a stack: parameter values, defaults and the resource registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from heat_core.environment.event_sinks import check_sink
from heat_core.environment.global_registry import global_registry
from heat_core.environment.registry import Entry, Registry
from heat_core.environment.text import (
    ENCRYPTED_PARAM_NAMES,
    EVENT_SINKS,
    PARAMETER_DEFAULTS,
    PARAMETERS,
    RESOURCE_REGISTRY,
    SECTIONS,
)

_NOT_FLAT = frozenset({PARAMETER_DEFAULTS, ENCRYPTED_PARAM_NAMES, EVENT_SINKS, RESOURCE_REGISTRY})


class Environment:
    """Values for a template, and which implementation each resource type has.

    Built from the stored form, from a request, or from flat parameters: a dict without a
    `parameters` key is parameters, the other sections left out (rules/b-environment.md#4).
    """

    def __init__(
        self, content: Mapping[str, Any] | None = None, *, registry: Registry | None = None
    ) -> None:
        content = content or {}
        self.registry = Registry(
            global_registry=global_registry() if registry is None else registry
        )
        self.parameter_defaults: dict[str, Any] = dict(content.get(PARAMETER_DEFAULTS, {}))
        self.registry.load(content.get(RESOURCE_REGISTRY, {}))
        self.encrypted_param_names: list[str] = list(content.get(ENCRYPTED_PARAM_NAMES, []))
        self.parameters: Any = (
            content[PARAMETERS]
            if PARAMETERS in content
            else {key: value for key, value in content.items() if key not in _NOT_FLAT}
        )
        if isinstance(self.parameters, dict):
            self.parameters = dict(self.parameters)
        self.event_sinks: list[Any] = []
        self._add_sinks(content.get(EVENT_SINKS, []))
        self._stored: Mapping[str, Any] | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read the stored form or a request's environment."""
        return cls(content)

    @classmethod
    def of_stack(cls, content: Mapping[str, Any]) -> Self:
        """Read the stored form of a stack's environment, which must not be changed from then on."""
        environment = cls(content)
        environment._stored = content
        return environment

    def as_stored(self) -> Environment:
        """Without what looking up types has noted since it was read; itself if it never was.

        Many visits share one environment; what goes to a nested stack must not tell which of them
        have been there before.
        """
        return self if self._stored is None else Environment.of_stack(self._stored)

    def load(self, content: Mapping[str, Any]) -> None:
        """Lay another environment over this one (rules/b-environment.md#32)."""
        self.registry.load(content.get(RESOURCE_REGISTRY, {}))
        self.parameters.update(content.get(PARAMETERS, {}))
        self.parameter_defaults.update(content.get(PARAMETER_DEFAULTS, {}))
        self._add_sinks(content.get(EVENT_SINKS, []))

    def _add_sinks(self, sinks: Any) -> None:
        for sink in sinks:
            check_sink(sink)
        self.event_sinks.extend(sinks)

    def user_env_as_dict(self) -> dict[str, Any]:
        """What belongs to the user: given to nested stacks and shown by the validate call."""
        return {
            RESOURCE_REGISTRY: self.registry.as_dict(),
            PARAMETERS: self.parameters,
            PARAMETER_DEFAULTS: self.parameter_defaults,
            EVENT_SINKS: self.event_sinks,
        }

    def stored(self) -> dict[str, Any]:
        """The content of raw_template.environment (rules/b-environment.md#28)."""
        return {**self.user_env_as_dict(), ENCRYPTED_PARAM_NAMES: self.encrypted_param_names}

    def for_child(
        self,
        child: Mapping[str, Any] | None,
        *,
        without: Entry | None = None,
        resource_name: str | None = None,
    ) -> Environment:
        """The environment of a nested stack (rules/b-environment.md#30).

        `child` holds parameters, flat or as an environment; `without` is the registry entry that
        made the nested stack; `resource_name` moves what stands for that resource up a level.
        """
        flat = child is not None and not any(section in child for section in SECTIONS)
        environment = Environment()
        environment.load({**self.user_env_as_dict(), PARAMETERS: child if flat else {}})
        if child is not None and not flat:
            environment.load(child)
        if without is not None:
            environment.registry.remove_template(without)
        if resource_name:
            environment.registry.keep_resource(resource_name)
        return environment
