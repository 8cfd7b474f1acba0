"""The command heat-api."""

from __future__ import annotations

import signal
import socket
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.api_process import PATIENCE_SECONDS, running


def test_it_answers_and_ends(tmp_path: Path) -> None:
    with running(tmp_path) as (process, port):
        with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)) as connection:
            connection.request("GET", "/healthcheck")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"")
            connection.request("GET", "/")
            answer = connection.getresponse()
            assert answer.status == 300
            assert b"CURRENT" in answer.read()
            connection.request("GET", "/v1/p/stacks")
            answer = connection.getresponse()
            assert answer.status == 401
            answer.read()
            connection.request("GET", "/", headers={"X-Long": "x" * 16384})
            assert connection.getresponse().status == 400
        assert answer.headers["WWW-Authenticate"] == 'Keystone uri="http://127.0.0.1:1/v3"'
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    text = (tmp_path / "api.log").read_text()
    assert text.count("the API has stopped") == 2
