"""The command heat-api-cfn: over real sockets, and what it says when it can't start."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from heat_app.cfn.process import PROGRAM, main
from heat_app.config import Settings
from tests.api_process import PATIENCE_SECONDS, conf, running


def test_it_answers_and_ends(tmp_path: Path) -> None:
    with running(tmp_path, module="heat_app.cfn.process", section="heat_api_cfn") as served:
        process, port = served
        with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)) as connection:
            connection.request("GET", "/healthcheck")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"")
            connection.request("GET", "/")
            answer = connection.getresponse()
            assert answer.status == 300
            assert f"http://127.0.0.1:{port}/v1/".encode() in answer.read()
            connection.request("GET", "/v1/?Action=ListStacks")
            answer = connection.getresponse()
            assert answer.status == 400
            assert b"<Code>IncompleteSignature</Code>" in answer.read()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    text = (tmp_path / "api.log").read_text()
    assert text.count("the API has stopped") == 2


def test_it_listens_by_a_section_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert PROGRAM.listen(Settings()).bind_port == 8000
    wrong = conf(tmp_path, section="heat_api_cfn", instead=("workers = 2", "key_file = /x"))
    assert main(["--config-file", wrong]) == 2
    said = capsys.readouterr().err
    assert said.startswith("heat-api-cfn: [heat_api_cfn] cert_file and key_file belong together")


def test_an_api_paste_file_without_the_api_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "api-paste.ini").write_text("[composite:heat-api]\nuse = egg:Paste#urlmap\n")
    assert main(["--config-file", conf(tmp_path, section="heat_api_cfn")]) == 2
    assert "has no app 'heat-api-cfn'" in capsys.readouterr().err


def test_hypercorns_command_line_takes_the_application(tmp_path: Path) -> None:
    path = conf(tmp_path, instead=("rabbit://", "kafka://"))
    command = [sys.executable, "-m", "hypercorn", "--worker-class", "trio", "--bind", "127.0.0.1:0"]
    done = subprocess.run(
        [*command, "heat_app.cfn.asgi:app"],
        env=os.environ | {"OS_HEAT_CONFIG_FILES": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert "RabbitMQ" in done.stderr
