"""Logging as heat.conf says it, with fields, and without secrets whatever the format."""

import json
import logging
import syslog
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from heat_app.config import Configuration, ConfigurationProblem, read_command_line
from heat_app.process_logging import FieldsFormatter, logging_as_configured, reload
from heat_io.log_context import bound

TOKEN = "gAAAAABm" + "x" * 90
somebody = logging.getLogger("heat_io.somewhere")


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    levels = {
        name: one.level
        for name, one in logging.Logger.manager.loggerDict.items()
        if isinstance(one, logging.Logger)
    }
    for name in ("heat_core", "heat_io", "heat_app"):
        logging.getLogger(name).setLevel(logging.NOTSET)
    yield
    root.handlers[:], level = before
    root.setLevel(level)
    for name, one in logging.Logger.manager.loggerDict.items():
        if isinstance(one, logging.Logger):
            one.setLevel(levels.get(name, logging.NOTSET))
            if name not in levels:
                one.handlers = []


def _configured(folder: Path, text: str, *arguments: str) -> Configuration:
    path = folder / "heat.conf"
    path.write_text(f"[DEFAULT]\n{text}")
    return read_command_line(["--config-file", str(path), *arguments], "heat-engine")


def _fail() -> None:
    try:
        raise ValueError(f"refused {TOKEN}")
    except ValueError:
        somebody.exception("it failed")


def test_heats_own_format_with_fields(tmp_path: Path) -> None:
    configuration = _configured(tmp_path, f"log_dir = {tmp_path}\nlog_date_format = D\n")
    with (
        logging_as_configured(configuration),
        bound(request_id="req-1", user_id="u", project_id="p"),
    ):
        somebody.info("stack stored", extra={"fields": {"name": "web 1", "count": 3}})
        somebody.debug("quiet")
        logging.getLogger("aiormq").info("quiet")
    with logging_as_configured(configuration):
        somebody.info("without a request")
    first, second = (tmp_path / "heat-engine.log").read_text().splitlines()
    head, _, tail = first.partition(" heat_io.somewhere ")
    assert head.startswith("D.")
    assert head.endswith(" INFO")
    assert tail == '[ req-1 u p - - - -] stack stored name="web 1" count=3'
    assert second.endswith(" INFO heat_io.somewhere [-] without a request")


def test_tracebacks_and_fields_are_masked(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    with logging_as_configured(_configured(tmp_path, f"log_file = {log}\n")):
        _fail()
        somebody.info("asked %s", f"http://h/?x={TOKEN}", extra={"fields": {"password": "hush"}})
        somebody.warning("rabbit://a:hush@one:1,b:hush@two:2/v is gone")
    text = log.read_text()
    assert "ERROR heat_io.somewhere it failed" not in text
    assert "ValueError: refused ***" in text
    assert TOKEN not in text
    assert "hush" not in text


def test_json(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    configuration = _configured(tmp_path, f"log_file = {log}\nuse_json = true\n")
    with logging_as_configured(configuration), bound(request_id="req-1", step_id="n7"):
        somebody.info("stack stored", extra={"fields": {"count": 3, "admin_password": "hush"}})
        _fail()
    stored, failed = (json.loads(line) for line in log.read_text().splitlines())
    assert stored["message"] == "stack stored"
    assert stored["context"] == {"request_id": "req-1"}
    assert stored["extra"] == {"step_id": "n7", "count": 3, "admin_password": "***"}
    assert "refused ***" in failed["traceback"]
    assert TOKEN not in log.read_text()


def test_formats_and_levels_of_an_operator(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    configuration = _configured(
        tmp_path,
        f"log_file = {log}\ndebug = true\nlogging_debug_format_suffix = @%(funcName)s\n"
        "logging_context_format_string = %(request_id)s|%(user_identity)s|%(message)s\n"
        "logging_default_format_string = -|%(levelname)s|%(message)s\n"
        "logging_user_identity_format = %(user)s of %(project)s\nlog_options = false\n"
        "logging_exception_prefix = !%(name)s!\n"
        "default_log_levels = heat_io=DEBUG,hypercorn=INFO,loud=15\n",
    )
    with logging_as_configured(configuration):
        somebody.debug("one")
        logging.getLogger("hypercorn").info("two")
        assert logging.getLogger("loud").level == 15
        assert logging.getLogger("aiormq").level == logging.WARNING
        with bound(request_id="r", user_id="u"):
            somebody.info("three")
        _fail()
    lines = log.read_text().splitlines()
    assert lines[:3] == [
        "-|DEBUG|one @test_formats_and_levels_of_an_operator",
        "-|INFO|two",
        "r|u of -|three",
    ]
    assert "!heat_io.somewhere!ValueError: refused ***" in lines


def test_options_are_logged_at_debug_without_secrets(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    configuration = _configured(
        tmp_path, f"log_file = {log}\ndebug = true\n[keystone_authtoken]\npassword = hush\n"
    )
    with logging_as_configured(configuration):
        pass
    text = log.read_text()
    assert "max_stacks_per_tenant" in text
    assert "keystone_authtoken.password" in text
    assert "hush" not in text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("log_rotation_type = size\nmax_logfile_size_mb = 3\n", "RotatingFileHandler"),
        (
            "log_rotation_type = interval\nlog_rotate_interval_type = hours\n",
            "TimedRotatingFileHandler",
        ),
        ("", "WatchedFileHandler"),
    ],
)
def test_rotation(tmp_path: Path, text: str, kind: str) -> None:
    configuration = _configured(
        tmp_path, f"log_file = {tmp_path / 'x.log'}\nmax_logfile_count = 4\n{text}"
    )
    with logging_as_configured(configuration):
        (handler,) = logging.getLogger().handlers
        assert type(handler).__name__ == kind
        assert getattr(handler, "backupCount", 4) == 4
        assert getattr(handler, "maxBytes", 3 << 20) == 3 << 20


def test_a_file_that_was_moved_is_opened_anew(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    with logging_as_configured(_configured(tmp_path, f"log_file = {log}\n")):
        somebody.info("one")
        log.rename(tmp_path / "x.log.1")
        somebody.info("two")
    assert log.read_text().endswith("two\n")


def test_where_nothing_is_said_it_is_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_as_configured(_configured(tmp_path, "")):
        somebody.info("hello")
    written = capsys.readouterr()
    assert written.out.endswith("hello\n")
    assert written.err == ""
    with logging_as_configured(_configured(tmp_path, "use_stderr = true\n")):
        somebody.info("hello")
    assert capsys.readouterr().err.endswith("hello\n")


def test_syslog_knows_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    sent: list[Any] = []
    monkeypatch.setattr(syslog, "openlog", lambda *arguments: opened.append(arguments))
    monkeypatch.setattr(syslog, "syslog", lambda *arguments: sent.append(arguments))
    configuration = _configured(tmp_path, "use_syslog = true\nsyslog_log_facility = local3\n")
    with logging_as_configured(configuration):
        somebody.warning("got %s", TOKEN)
    assert opened[-1] == ("heat-engine", 0, syslog.LOG_LOCAL3)
    priority, text = sent[-1]
    assert priority == syslog.LOG_WARNING
    assert text.endswith("got ***")


def test_a_rate_limit(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    configuration = _configured(
        tmp_path,
        f"log_file = {log}\nrate_limit_burst = 3\nrate_limit_interval = 3600\n"
        "rate_limit_except_level = ERROR\n",
    )
    with logging_as_configured(configuration):
        for number in range(9):
            somebody.info("number %s", number)
        somebody.error("important")
    lines = log.read_text().splitlines()
    assert sum("number" in line for line in lines) == 3
    assert any("important" in line for line in lines)
    with logging_as_configured(_configured(tmp_path, f"log_file = {log}\n")):
        for number in range(9):
            somebody.info("again %s", number)
    assert log.read_text().count("again") == 9


APPENDED = """\
[loggers]
keys = root, other
[handlers]
keys = file
[formatters]
keys = context, plain
[logger_root]
level = INFO
handlers = file
[logger_other]
level = DEBUG
handlers = file
qualname = other
propagate = 0
[handler_file]
class = FileHandler
args = ('{log}',)
formatter = {formatter}
[formatter_context]
class = oslo_log.formatters.ContextFormatter
[formatter_plain]
format = %(name)s: %(message)s
"""


@pytest.mark.parametrize("formatter", ["context", "plain"])
def test_a_configuration_of_loggings_own(tmp_path: Path, formatter: str) -> None:
    log = tmp_path / "x.log"
    append = tmp_path / f"logging-{formatter}.conf"
    append.write_text(APPENDED.format(log=log, formatter=formatter))
    with logging_as_configured(_configured(tmp_path, f"log_config_append = {append}\n")):
        somebody.info("got %s", TOKEN, extra={"fields": {"count": 3}})
        logging.getLogger("other").debug("mine")
        _fail()
    text = log.read_text()
    assert "got *** count=3\n" in text
    assert "mine" in text
    assert "refused ***" in text
    assert TOKEN not in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("log_file = /none/such/x.log\n", "/none/such"),
        ("log_config_append = /none/such\n", "/none/such"),
        ("use_syslog = true\nsyslog_log_facility = LOG_NONE\n", "facility"),
        ("default_log_levels = a=LOUDLY\n", "LOUDLY"),
        ("use_journal = true\n", "systemd-python"),
    ],
)
def test_what_cannot_be_had_is_said(tmp_path: Path, text: str, said: str) -> None:
    configuration = _configured(tmp_path, text)
    with (
        pytest.raises(ConfigurationProblem, match=said),
        logging_as_configured(configuration),
    ):
        raise AssertionError("it was set up")


def test_debug_can_be_turned_on_later(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    configuration = _configured(tmp_path, f"log_file = {log}\nlog_options = false\n")
    with logging_as_configured(configuration):
        somebody.debug("quiet")
        _configured(tmp_path, f"log_file = {log}\ndebug = true\nlog_options = false\n")
        reload(configuration)
        somebody.debug("loud %s", TOKEN)
        for wrong in ("[DEFAULT\n", "[DEFAULT]\ndebug = perhaps\n"):
            (tmp_path / "heat.conf").write_text(wrong)
            with pytest.raises(ConfigurationProblem, match="read again"):
                reload(configuration)
            somebody.debug("still loud")
    text = log.read_text()
    assert "quiet" not in text
    assert "loud ***" in text
    assert text.count("still loud") == 2


def test_the_journal_gets_nothing_secret_beside_the_text() -> None:
    formatter = FieldsFormatter(logging.Formatter("%(message)s"))
    try:
        raise ValueError(TOKEN)
    except ValueError as error:
        record = logging.LogRecord(
            "x", logging.ERROR, __file__, 1, "m", (), (ValueError, error, error.__traceback__)
        )
    assert TOKEN not in formatter.format(record)
    assert record.exc_text is not None
    assert TOKEN not in record.exc_text
    assert TOKEN not in formatter.formatException(record.exc_info)
