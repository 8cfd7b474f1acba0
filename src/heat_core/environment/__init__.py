"""Environments: parameter values, the resource registry, merging of files."""

from heat_core.environment.environment import Environment
from heat_core.environment.global_registry import (
    global_registry,
    make_global_registry,
    using_global_registry,
)
from heat_core.environment.merge import merge_environment_files, merge_strategy
from heat_core.environment.registry import (
    HOOKS,
    RESTRICTED_ACTIONS,
    Entry,
    EntryKind,
    Registry,
    is_template_name,
)
from heat_core.environment.text import check_sections, parse_environment, with_all_sections

__all__ = [
    "HOOKS",
    "RESTRICTED_ACTIONS",
    "Entry",
    "EntryKind",
    "Environment",
    "Registry",
    "check_sections",
    "global_registry",
    "is_template_name",
    "make_global_registry",
    "merge_environment_files",
    "merge_strategy",
    "parse_environment",
    "using_global_registry",
    "with_all_sections",
]
