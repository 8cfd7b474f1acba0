"""The command of an API, in heat-api's shape: what it says when it can't start, and its life over
real sockets."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from heat_app.native.process import main
from tests.api_process import PATIENCE_SECONDS, conf, running


@pytest.fixture(autouse=True)
def signals_as_they_were() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_the_version_says_whose_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("heat-trio ")


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        (("password = p", ""), "[keystone_authtoken] password is not set"),
        (("rabbit://", "kafka://"), "RabbitMQ"),
        (
            ("[heat_api]", "[paste_deploy]\napi_paste_config = /none.ini\n[heat_api]"),
            "there is no /none.ini",
        ),
        (("workers = 2", "workers = some"), "workers"),
        (("[heat_api]", "[healthcheck]\nbackends = other\n[heat_api]"), "there is no other"),
        (("workers = 2", "cert_file = /x"), "[heat_api] cert_file and key_file belong together"),
        (("bind_host = 127.0.0.1", "bind_host = 1.2.3.4.5"), "[heat_api] bind_host: 1.2.3.4.5"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_said_in_a_sentence(
    tmp_path: Path, instead: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--config-file", conf(tmp_path, instead=instead)]) == 2
    written = capsys.readouterr().err
    assert written.startswith("heat-api: ")
    assert said in written
    assert "Traceback" not in written


def test_a_reload_replaces_the_workers_and_opens_the_log_anew(tmp_path: Path) -> None:
    with running(tmp_path) as (process, _):
        log = tmp_path / "api.log"
        log.rename(tmp_path / "api.log.1")
        process.send_signal(signal.SIGHUP)
        until = time.monotonic() + PATIENCE_SECONDS
        text = ""
        while "all workers serve" not in text:
            assert process.poll() is None
            assert time.monotonic() < until
            text = log.read_text() if log.exists() else ""
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
    text = log.read_text()
    assert text.count("a worker is started") == 2
    assert "the configuration is reloaded" in text


def test_a_reload_that_cannot_be_read_leaves_all_as_it_is(tmp_path: Path) -> None:
    with running(tmp_path) as (process, _):
        log = tmp_path / "api.log"
        path = tmp_path / "heat.conf"
        path.write_text(path.read_text().replace("[DEFAULT]", "[DEFAULT]\ndebug = perhaps"))
        process.send_signal(signal.SIGHUP)
        until = time.monotonic() + PATIENCE_SECONDS
        while "the configuration is not reloaded" not in log.read_text():
            assert process.poll() is None
            assert time.monotonic() < until
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
    assert log.read_text().count("a worker is started") == 2


def test_it_goes_on_without_the_folder_of_its_log(tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    folder.mkdir()
    with (
        running(folder) as (process, port),
        closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)) as connection,
    ):
        for before, after in ((folder, tmp_path / "away"), (tmp_path / "away", folder)):
            before.rename(after)
            connection.request("GET", "/")
            answer = connection.getresponse()
            assert answer.status == 300
            answer.read()
        connection.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
    assert "records were lost" in (folder / "api.log").read_text()


def test_a_taken_port(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--config-file", conf(tmp_path, port)]) == 2
    assert f"can't listen at 127.0.0.1, port {port}" in capsys.readouterr().err
