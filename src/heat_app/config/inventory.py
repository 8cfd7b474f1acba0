"""Every option that a heat.conf may hold: which section it is in, and what comes of it.

Three sources: the fields of Settings, what only Heat reads (heat_app.config.unread_*), and the
options of oslo.log, which registers its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from heat_app.config.declaration import Declaration, declarations, is_section
from heat_app.config.settings import Settings
from heat_app.config.unread_heat import UNREAD_OF_HEAT
from heat_app.config.unread_identity import UNREAD_ABOUT_IDENTITY
from heat_app.config.unread_libraries import UNREAD_OF_LIBRARIES

if TYPE_CHECKING:
    from oslo_config import cfg

__all__ = ["OUR_SECTIONS", "Entry", "declared_options", "inventory", "logging_options"]

OUR_SECTIONS: Final = ("heat_trio", "heat_api", "heat_api_cfn")
"""the sections that Heat 27.0.1 does not have"""

UNREAD_OF_LOGGING: Final[Mapping[str, str]] = {
    "fatal_deprecations": "nothing that is used here is deprecated",
    "publish_errors": "errors are logged and not sent as notifications",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An option: its section, itself, and why it has no effect (None: it has)."""

    section: str
    option: cfg.Opt
    unread: str | None


def declared_options() -> Iterator[tuple[str, Declaration]]:
    """Section and declaration of each option that oslo.log does not register by itself."""
    defaults = Settings()
    logging = {option.name for option in logging_options()}
    for one in declarations(defaults):
        if one.name not in logging:
            yield "DEFAULT", one
    for item in fields(defaults):
        section = getattr(defaults, item.name)
        if is_section(section):
            for one in declarations(section):
                yield item.name, one
    for table in (UNREAD_OF_HEAT, UNREAD_ABOUT_IDENTITY, UNREAD_OF_LIBRARIES):
        for name, options in table.items():
            for one in options:
                yield name, one


def inventory() -> tuple[Entry, ...]:
    """All options, by section ([DEFAULT] first) and name."""
    entries = [Entry(name, one.as_opt(name), one.unread) for name, one in declared_options()]
    entries += [
        Entry("DEFAULT", option, UNREAD_OF_LOGGING.get(option.dest)) for option in logging_options()
    ]
    return tuple(
        sorted(entries, key=lambda one: (one.section != "DEFAULT", one.section, one.option.name))
    )


def logging_options() -> Iterator[cfg.Opt]:
    """The options that oslo.log has."""
    from oslo_log._options import list_opts

    for _, options in list_opts():
        yield from options
