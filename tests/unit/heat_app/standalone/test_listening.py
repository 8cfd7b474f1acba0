"""Ports are taken before anything else, and what is in the way is said."""

import socket

import pytest

from heat_app.standalone import listening
from heat_app.standalone.listening import advertised_host, listen, url_of
from heat_app.standalone.problem import StartProblem


def test_any_port() -> None:
    with listen("127.0.0.1", 0, "--port") as sock:
        port = sock.getsockname()[1]
        assert url_of("127.0.0.1", sock) == f"http://127.0.0.1:{port}"
        socket.create_connection(("127.0.0.1", port)).close()


def test_a_taken_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "RELEASE_SECONDS", 0.0)
    with listen("127.0.0.1", 0, "--port") as sock:
        port = sock.getsockname()[1]
        with pytest.raises(StartProblem) as problem:
            listen("127.0.0.1", port, "--keystone-port")
    assert str(problem.value) == (
        f"port {port} of 127.0.0.1 is in use: choose another with --keystone-port."
    )


def test_a_port_that_comes_free_in_time_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    holder = listen("127.0.0.1", 0, "--port")
    port = holder.getsockname()[1]
    monkeypatch.setattr(listening.time, "sleep", lambda seconds: holder.close())
    listen("127.0.0.1", port, "--port").close()


@pytest.mark.parametrize("host", ["no such host", "256.0.0.1"])
def test_an_address_that_is_none(host: str) -> None:
    with pytest.raises(StartProblem, match="is no address to listen at"):
        listen(host, 0, "--port")


def test_an_address_of_another_machine() -> None:
    with pytest.raises(StartProblem, match=r"can't listen at port 0 of 192\.0\.2\.1"):
        listen("192.0.2.1", 0, "--port")


def test_what_is_advertised() -> None:
    assert advertised_host("127.0.0.1") == "127.0.0.1"
    assert advertised_host("heat.example.org") == "heat.example.org"
    assert advertised_host("0.0.0.0") not in ("0.0.0.0", "")


def test_ipv6_urls_have_brackets() -> None:
    with listen("127.0.0.1", 0, "--port") as sock:
        assert url_of("::1", sock).startswith("http://[::1]:")
