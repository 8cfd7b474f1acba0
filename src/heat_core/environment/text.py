"""Environment text and its sections (rules/b-environment.md#1-2)."""

from __future__ import annotations

from typing import Any, Final

from heat_core.documents import load_yaml

PARAMETERS: Final = "parameters"
RESOURCE_REGISTRY: Final = "resource_registry"
PARAMETER_DEFAULTS: Final = "parameter_defaults"
ENCRYPTED_PARAM_NAMES: Final = "encrypted_param_names"
EVENT_SINKS: Final = "event_sinks"
MERGE_STRATEGIES: Final = "parameter_merge_strategies"

SECTIONS: Final = (
    PARAMETERS,
    RESOURCE_REGISTRY,
    PARAMETER_DEFAULTS,
    ENCRYPTED_PARAM_NAMES,
    EVENT_SINKS,
    MERGE_STRATEGIES,
)


def parse_environment(text: str | None) -> dict[str, Any]:
    """The environment in `text`; {} for none. ValueError with the text for the user."""
    if text is None:
        return {}
    environment = load_yaml(text)
    if environment is None:
        environment = {}
    if not isinstance(environment, dict):
        raise ValueError("The environment is not a valid YAML mapping data type.")
    check_sections(environment)
    return environment


def check_sections(environment: dict[str, Any]) -> None:
    """Raise ValueError for a section that isn't one, or that is null."""
    for section, content in environment.items():
        if section not in SECTIONS:
            raise ValueError(f'environment has wrong section "{section}"')
        if content is None:
            raise ValueError(f'environment has empty section "{section}"')


def with_all_sections(environment: dict[str, Any]) -> dict[str, Any]:
    """The environment with its missing sections filled in, empty."""
    filled = dict(environment)
    for section in SECTIONS:
        if section not in filled and section != MERGE_STRATEGIES:
            filled[section] = [] if section in (ENCRYPTED_PARAM_NAMES, EVENT_SINKS) else {}
    return filled
