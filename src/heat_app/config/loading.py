"""From a command line and files to Settings, as oslo.config reads them for Heat.

Precedence, highest first: command line, environment (OS_<SECTION>__<OPTION>), files, later ones
over earlier ones. Every value that is set is checked, of options without effect too: a mistake
stops the start.
"""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heat_app.config.declaration import Declaration, declarations, is_section
from heat_app.config.identity_sections import Credentials
from heat_app.config.inventory import declared_options, inventory, logging_options
from heat_app.config.problem import ConfigurationProblem
from heat_app.config.settings import Settings
from heat_app.config.transport_query import ignored_in_query

if TYPE_CHECKING:
    from oslo_config import cfg

__all__ = ["Configuration", "load", "read_command_line"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a process was configured with.

    `conf` is oslo.config's object, for libraries that want it and for values that may change while
    the process runs; `ignored` names each option that is set without effect, and why.
    """

    program: str
    settings: Settings
    conf: cfg.ConfigOpts
    ignored: tuple[str, ...] = ()

    def announce(self) -> None:
        """Log a warning for each ignored option; call it once, when logging is configured."""
        for sentence in self.ignored:
            log.warning(sentence)


def read_command_line(argv: Sequence[str], program: str) -> Configuration:
    """What `argv` and the files that it names say, or the files that `program` has by default.

    `--help`, `--version` and unknown arguments end the process (0, 0, 2), as argparse does it.
    Raises ConfigurationProblem.
    """
    return _read(Settings, program, lambda conf: _parse(conf, argv, program))


def load[S: Settings](kind: type[S], config_files: Sequence[str | Path]) -> S:
    """Settings from these files alone. Raises ConfigurationProblem."""
    paths = [str(path) for path in config_files]

    def parse(conf: cfg.ConfigOpts) -> None:
        conf([], project="heat", default_config_files=paths, default_config_dirs=[])

    settings = _read(kind, "heat", parse).settings
    assert isinstance(settings, kind)
    return settings


def _parse(conf: cfg.ConfigOpts, argv: Sequence[str], program: str) -> None:
    conf(
        list(argv),
        project="heat",
        prog=program,
        version=f"heat-trio {version('heat-trio')}",
        description="A process of heat-trio. Everything else is an option of heat.conf.",
    )


def _read(
    kind: type[Settings], program: str, parse: Callable[[cfg.ConfigOpts], None]
) -> Configuration:
    from oslo_config import cfg
    from oslo_log import log as oslo_log

    conf = cfg.ConfigOpts()
    before = logging.getLogger().handlers[:]
    oslo_log.register_options(conf)
    # It makes sure that there is a handler; who configures logging decides on that.
    logging.getLogger().handlers[:] = before
    try:
        _parsed(conf, parse)
        conf.register_opts([one for one in logging_options() if one.dest not in conf])
        for section, one in declared_options():
            # What Heat requires it requires of who uses it: see heat_app.openstack_settings.
            opt = replace(one, required=False).as_opt(section)
            conf.register_opt(opt, group=None if section == "DEFAULT" else section)
        settings = replace(_section(conf, kind()), config_files=tuple(_files(conf)))
        _check(settings)
        ignored = (*_ignored(conf), *_ignored_in_urls(settings))
        return Configuration(program, _with_credentials(conf, settings), conf, ignored)
    except cfg.Error as error:
        raise ConfigurationProblem(f"The configuration can't be read: {error}") from error


def _parsed(conf: cfg.ConfigOpts, parse: Callable[[cfg.ConfigOpts], None]) -> None:
    """Parse; what oslo.config ends the process for in its own way is a ConfigurationProblem.

    Options that may stand on the command line are checked at once, those in files too: a wrong one
    is told on standard error, and ends the process as if something had crashed.
    """
    told = io.StringIO()
    try:
        with redirect_stderr(told):
            parse(conf)
    except SystemExit as end:
        if end.code not in (0, 2):
            sentence = told.getvalue().strip().removeprefix("argument ")
            raise ConfigurationProblem(f"An option has a wrong value: {sentence}") from end
        raise
    finally:
        if not isinstance(sys.exception(), ConfigurationProblem):
            sys.stderr.write(told.getvalue())


def _check(settings: Settings) -> None:
    """Raise ConfigurationProblem for values that make no sense together."""
    own = settings.heat_trio
    if own.lease_ttl < 2 * own.heartbeat_interval:
        raise ConfigurationProblem(
            f"[heat_trio] lease_ttl = {own.lease_ttl:g} is too short: an engine that shows every "
            f"{own.heartbeat_interval:g} seconds (heartbeat_interval) that it lives would be taken "
            "for dead. Make it twice as long at least."
        )


def _files(conf: cfg.ConfigOpts) -> Iterator[str]:
    yield from conf.config_file or ()
    for folder in conf.config_dir or ():
        yield from (str(path) for path in sorted(Path(folder).glob("*.conf")))


def _section[S](conf: cfg.ConfigOpts, defaults: S, group: str | None = None) -> S:
    """`defaults` with the values that `conf` has in `group`."""
    values: dict[str, Any] = {
        one.attribute: _value(conf, one, group) for one in declarations(defaults)
    }
    for item in fields(defaults):  # type: ignore[arg-type] # mypy can't bind S to dataclasses
        section = getattr(defaults, item.name)
        if is_section(section):
            values[item.name] = _section(conf, section, item.name)
    return replace(defaults, **values)  # type: ignore[type-var] # likewise


def _value(conf: cfg.ConfigOpts, one: Declaration, group: str | None) -> Any:
    from oslo_config import cfg

    source = conf if group is None else getattr(conf, group)
    try:
        value = getattr(source, one.attribute)
    except (cfg.Error, ValueError) as error:
        raise _wrong(group, one.attribute, error) from error
    return tuple(value) if isinstance(value, list) else value


def _wrong(group: str | None, name: str, error: Exception) -> ConfigurationProblem:
    from oslo_config import cfg

    reason = str(error).rpartition(" is not valid: ")[2]
    if isinstance(error, cfg.TemplateSubstitutionError | cfg.NoSuchOptError):
        # The error's own text shows what follows the dollar, which may be half a password.
        reason = "a dollar sign begins the name of another option: write two for one"
    return ConfigurationProblem(f"[{group or 'DEFAULT'}] {name} has a wrong value: {reason}")


def _with_credentials(conf: cfg.ConfigOpts, settings: Settings) -> Settings:
    """`settings` with the credentials that stand in another section, named by auth_section."""
    changed: dict[str, Any] = {}
    for name in ("keystone_authtoken", "trustee"):
        credentials: Credentials = getattr(settings, name)
        other = credentials.auth_section
        if other is None or other == name:
            continue
        found: dict[str, Any] = {}
        for one in declarations(Credentials()):
            if one.name != "auth_section":
                conf.register_opt(replace(one, required=False).as_opt(other), group=other)
                found[one.attribute] = _value(conf, one, other)
        changed[name] = replace(credentials, **found)
    return replace(settings, **changed)


def _ignored(conf: cfg.ConfigOpts) -> tuple[str, ...]:
    """A sentence for each option that somebody set and nobody reads."""
    from oslo_config import cfg

    sentences = []
    for entry in inventory():
        if entry.unread is None:
            continue
        group = None if entry.section == "DEFAULT" else entry.section
        name = entry.option.dest
        try:
            location = conf.get_location(name, group)
        except (cfg.Error, ValueError) as error:
            raise _wrong(group, name, error) from error
        if location is not None and location.location.is_user_controlled:
            sentences.append(
                f"[{entry.section}] {name} is set but heat-trio does not use it: {entry.unread}"
            )
    return tuple(sentences)


def _ignored_in_urls(settings: Settings) -> Iterator[str]:
    yield from ignored_in_query("[DEFAULT] transport_url", settings.transport_url)
    own = settings.oslo_messaging_notifications.transport_url
    yield from ignored_in_query("[oslo_messaging_notifications] transport_url", own or "")
