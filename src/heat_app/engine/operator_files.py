"""What an operator has put beside heat.conf: environments for every stack, and Heat's plugins.

Every file of environment_dir is an environment; its resource_registry goes behind the registries of
all stacks (rules/b-environment.md#31). What Heat maps by default stands in a file of that folder
too; where there is no such folder the mappings are those of that file. Files that can't be read as
an environment are logged and left out, as in Heat.

Files in plugin_dirs are Python for Heat. None of it is run: each is named, and the types that it
would bring are unknown.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from heat_core.environment import Registry, make_global_registry, using_global_registry
from heat_core.environment.text import RESOURCE_REGISTRY, parse_environment
from heat_core.errors import HeatException
from heat_core.stack.timeouts import DEFAULT_ACTION_TIMEOUT_SECONDS, action_timeout
from heat_core.template import (
    DEFAULT_MAX_TEMPLATE_SIZE,
    YaqlLimits,
    template_size_limit,
    using_yaql_limits,
)

if TYPE_CHECKING:
    from heat_app.config import Settings

__all__ = ["OperatorFiles"]

log = logging.getLogger(__name__)

_UNUSED: Final = "has no effect in a global environment"


@dataclass(frozen=True, slots=True)
class OperatorFiles:
    """The global registry, which files it is made of, and what to say about the others."""

    registry: Registry
    environments: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()
    max_template_size: int = DEFAULT_MAX_TEMPLATE_SIZE
    stack_action_timeout: float = DEFAULT_ACTION_TIMEOUT_SECONDS
    yaql_limits: YaqlLimits = field(default_factory=YaqlLimits)

    @classmethod
    def read(cls, settings: Settings) -> Self:
        """Read environment_dir and look into plugin_dirs; what can't be read is in `warnings`."""
        folder = Path(settings.environment_dir)
        limits = YaqlLimits(settings.yaql.limit_iterators, settings.yaql.memory_quota)
        plugins = tuple(_plugin_warnings(settings.plugin_dirs))
        if not folder.is_dir():
            return cls(
                make_global_registry(),
                warnings=plugins,
                max_template_size=settings.max_template_size,
                stack_action_timeout=settings.stack_action_timeout,
                yaql_limits=limits,
            )
        found: dict[Path, Mapping[str, Any]] = {}
        warnings: list[str] = []
        for path in sorted(folder.iterdir()):
            if not path.is_file():
                continue
            try:
                content = parse_environment(path.read_text(encoding="utf-8"))
                # An entry that can't be used makes the whole file one that can't.
                make_global_registry((content,), mappings={})
            except (OSError, ValueError, AttributeError, TypeError, HeatException) as error:
                warnings.append(f"{path} is no environment and has no effect: {_line(error)}")
                continue
            found[path] = content
            warnings += [
                f"{path}: {section} {_UNUSED}"
                for section, value in content.items()
                if section != RESOURCE_REGISTRY and value
            ]
        registry = make_global_registry(tuple(found.values()), mappings={})
        return cls(
            registry,
            tuple(found),
            (*warnings, *plugins),
            settings.max_template_size,
            settings.stack_action_timeout,
            limits,
        )

    def announce(self) -> None:
        """Log what was read and what was not; call it once, when logging is configured."""
        for path in self.environments:
            log.info("an environment for all stacks is read", extra={"fields": {"path": str(path)}})
        for sentence in self.warnings:
            log.warning(sentence)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let every environment read in the block stand in front of the operator's.

        Templates read in it, those of nested stacks too, may be as long as max_template_size says,
        operations of stacks without a timeout take as long as stack_action_timeout, and yaql has
        the limits of [yaql].
        """
        with (
            using_global_registry(self.registry),
            template_size_limit(self.max_template_size),
            action_timeout(self.stack_action_timeout),
            using_yaql_limits(self.yaql_limits),
        ):
            yield


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _plugin_warnings(folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.py")):
            if path.name != "__init__.py":
                yield (
                    f"the plugin {path} is not loaded: heat-trio does not run Heat's Python "
                    "plugins, and the types that it brings are unknown"
                )
