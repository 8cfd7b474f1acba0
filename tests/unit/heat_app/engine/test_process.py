from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from heat_app.engine.process import main

GOOD = """\
[DEFAULT]
transport_url = rabbit://guest:guest@127.0.0.1:1/v
[database]
connection = mysql+pymysql://u:p@127.0.0.1:1/heat?charset=utf8
[keystone_authtoken]
auth_url = http://127.0.0.1:1/v3
username = heat
password = p
"""


@pytest.fixture(autouse=True)
def signals_as_they_were() -> object:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def _conf(folder: Path, text: str) -> str:
    path = folder / "heat.conf"
    path.write_text(text)
    return str(path)


def test_the_version_says_whose_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("heat-trio ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[DEFAULT]\nnum_engine_workers = many\n", "num_engine_workers"),
        (GOOD.replace("password = p", ""), "[keystone_authtoken] password is not set"),
        (GOOD.replace("rabbit://", "kafka://"), "heat-trio speaks to RabbitMQ only"),
        (GOOD.replace("connection =", "other ="), "[database] connection is not set"),
        (GOOD.replace("mysql+pymysql", "oracle"), "oracle"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_said_in_a_sentence(
    tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--config-file", _conf(tmp_path, text)]) == 2
    written = capsys.readouterr().err
    assert written.startswith("heat-engine: ")
    assert said in written
    assert "Traceback" not in written


def test_files_and_folders_that_are_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--config-file", str(tmp_path / "none.conf")]) == 2
    assert "none.conf" in capsys.readouterr().err
    assert main(["--config-dir", str(tmp_path / "none.d")]) == 2
    assert "none.d" in capsys.readouterr().err


def test_a_folders_files_go_over_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    (folder / "one.conf").write_text("[DEFAULT]\ntransport_url = kafka://x/\n")
    (folder / "ignored.txt").write_text("nonsense")
    arguments = ["--config-file", _conf(tmp_path, GOOD), "--config-dir", str(folder)]
    assert main(arguments) == 2
    assert "'kafka'" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_engine_whose_servers_are_not_there(
    tmp_path: Path, number: signal.Signals
) -> None:
    log = tmp_path / "engine.log"
    conf = _conf(tmp_path, GOOD.replace("[DEFAULT]", f"[DEFAULT]\nlog_file = {log}"))
    command = [sys.executable, "-m", "heat_app.engine.process", "--config-file", conf]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            while "the database can't be reached" not in (log.read_text() if log.exists() else ""):
                assert process.poll() is None
            process.send_signal(number)
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()
