"""Logging of a process that has a heat.conf: oslo.log does it, and secrets are masked in all of it.

oslo.log brings what operators configure: files and their rotation, syslog, journal, JSON, formats,
levels, rate limits, a configuration file of logging's own. Around each handler's formatter goes
one of ours, which adds the record's fields and those of heat_io.log_context, and masks the result.

    2026-05-01 12:00:00.123 71 INFO heat_app.web.app [None req-6b1c u1 p1 - - d1 d1] request ...

`request_id`, `global_request_id` and who asked go where the formats have a place for them; other
fields follow the message as name=value, and are "extra" in JSON.
"""

from __future__ import annotations

import copy
import logging
import sys
import syslog
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from heat_app.config import ConfigurationProblem
from heat_app.log_files import keep_on_logging
from heat_app.logging import masked, quoted, record_fields

if TYPE_CHECKING:
    from heat_app.config import Configuration

__all__ = ["FieldsFormatter", "logging_as_configured", "reload"]

log = logging.getLogger(__name__)

_QUIET: Final = (
    "aio_pika",
    "aiormq",
    "alembic",
    "asyncio",
    "asyncmy",
    "hypercorn",
    "quart",
)
"""libraries that speak from WARNING up unless default_log_levels says otherwise"""

_IDENTITY: Final[Mapping[str, tuple[str, ...]]] = {
    "user_id": ("user_id", "user"),
    "project_id": ("project_id", "project"),
    "domain_id": ("domain_id", "domain"),
    "user_domain_id": ("user_domain_id", "user_domain"),
    "project_domain_id": ("project_domain_id", "project_domain"),
    "system_scope": ("system_scope",),
    "request_id": ("request_id",),
    "global_request_id": ("global_request_id",),
}
"""a field's name here, and its names in the format strings of oslo.log"""


class FieldsFormatter(logging.Formatter):
    """Gives `inner` the record with its fields, and masks what comes out."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self.inner = inner

    def format(self, record: logging.LogRecord) -> Any:
        """A line, or what else `inner` makes of a record: fluentd's formatter makes a dict."""
        filled = copy.copy(record)
        fields = record_fields(record)
        context = {
            name: fields[field]
            for field, names in _IDENTITY.items()
            for name in names
            if field in fields
        }
        others = {name: value for name, value in fields.items() if name not in _IDENTITY}
        filled.msg, filled.args = record.getMessage(), None
        filled.context = context
        if self._takes_extra():
            filled.extra = others
        else:
            filled.msg = " ".join(
                [filled.msg, *(f"{name}={quoted(value)}" for name, value in others.items())]
            )
        formatted = _masked(self.inner.format(filled))
        # The journal's handler sends both beside the text.
        record.exc_text = masked(filled.exc_text) if filled.exc_text else record.exc_text
        record.__dict__.update(context)
        return formatted

    def formatException(self, ei: Any) -> str:
        """The traceback, masked."""
        return masked(self.inner.formatException(ei))

    def _takes_extra(self) -> bool:
        from oslo_log.formatters import FluentFormatter, JSONFormatter

        return isinstance(self.inner, JSONFormatter | FluentFormatter)


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {name: _masked(part) for name, part in value.items()}
    return value


@contextmanager
def logging_as_configured(configuration: Configuration) -> Iterator[None]:
    """Log as [DEFAULT] says within the block, and name the options without effect.

    Raises ConfigurationProblem for what can't be had.
    """
    from oslo_log import log as oslo_log
    from oslo_log import rate_limit

    conf = configuration.conf
    hook = sys.excepthook
    if conf.log_dir and not conf.log_file:
        # Left to itself oslo.log looks for the name at the bottom of the stack.
        conf.set_override("log_file", f"{configuration.program}.log")
    conf.set_override("publish_errors", False)
    try:
        oslo_log.setup(conf, "heat", fix_eventlet=False)
        _name_program(conf, configuration.program)
    except (oslo_log.LogConfigError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise ConfigurationProblem(f"Logging can't be set up: {_reason(error)}") from error
    _guard()
    _quieten(conf)
    logging.captureWarnings(True)
    configuration.announce()
    if conf.log_options:
        conf.log_opt_values(log, logging.DEBUG)
    try:
        yield
    finally:
        sys.excepthook = hook
        logging.captureWarnings(False)
        rate_limit.uninstall_filter()
        root = logging.getLogger()
        for handler in root.handlers[:]:
            root.removeHandler(handler)
            handler.close()


def reload(configuration: Configuration) -> None:
    """Read again what may change while a process runs: `debug` and the file of log_config_append.

    Raises ConfigurationProblem; everything is as before then.
    """
    from oslo_config import cfg
    from oslo_log import log as oslo_log

    try:
        # A wrong value of an option that may stand on the command line is SystemExit.
        configuration.conf.mutate_config_files()
    except (cfg.Error, oslo_log.LogConfigError, SystemExit) as error:
        raise ConfigurationProblem(f"The configuration can't be read again: {error}") from error
    finally:
        _guard()


def _guard() -> None:
    """Put a FieldsFormatter around every handler's formatter, and let no file end the process."""
    for handler in _handlers():
        if isinstance(handler, logging.FileHandler):
            keep_on_logging(handler)
        if not isinstance(handler.formatter, FieldsFormatter):
            handler.setFormatter(FieldsFormatter(handler.formatter or logging.Formatter()))


def _handlers() -> Iterator[logging.Handler]:
    yield from logging.getLogger().handlers
    for logger in logging.Logger.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            yield from logger.handlers


def _quieten(conf: Any) -> None:
    named = {pair.partition("=")[0] for pair in conf.default_log_levels}
    if not conf.log_config_append:
        for name in _QUIET:
            if name not in named:
                logging.getLogger(name).setLevel(logging.WARNING)


def _name_program(conf: Any, program: str) -> None:
    """Let syslog and the journal know the process by its name, not by the interpreter's."""
    if conf.log_config_append:
        return
    if conf.use_syslog:
        facility = conf.syslog_log_facility.upper().removeprefix("LOG_")
        syslog.openlog(program, 0, getattr(syslog, f"LOG_{facility}"))
    for handler in logging.getLogger().handlers:
        if hasattr(handler, "binary_name"):
            handler.binary_name = program


def _reason(error: Exception) -> str:
    if "Systemd bindings" in str(error):
        return "[DEFAULT] use_journal needs the package systemd-python, which is not installed."
    return str(error)
