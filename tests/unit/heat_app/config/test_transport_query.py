from __future__ import annotations

from pathlib import Path

import pytest

from heat_app.config import read_command_line
from heat_app.config.transport_query import ignored_in_query


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("rabbit://h/v", []),
        ("rabbit://u:p@h/v?ssl=1&rabbit_quorum_queue=true", []),
        ("rabbit://h/v?rpc_conn_pool_size=3&ssl=1&lb=x&lb=y", ["rpc_conn_pool_size", "lb"]),
        ("rabbit://h/v?kombu_reconnect_timeout=3", ["kombu_reconnect_timeout"]),
        ("", []),
        ("rabbit://[x/v?a=1", []),
    ],
)
def test_what_nobody_reads_is_named_once(url: str, names: list[str]) -> None:
    sentences = list(ignored_in_query("[DEFAULT] transport_url", url))
    assert [sentence.split()[0] for sentence in sentences] == names


def test_it_is_said_why_and_values_are_not_repeated() -> None:
    assert list(ignored_in_query("X", "rabbit://h/?rpc_conn_pool_size=3&secret=value")) == [
        "rpc_conn_pool_size in X has no effect: a process has one connection to send on and one to "
        "take on",
        "secret in X has no effect: [oslo_messaging_rabbit] has no such option",
    ]


def test_both_urls_are_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "heat.conf"
    file.write_text(
        "[DEFAULT]\ntransport_url = rabbit://u:p@h/v?one=1\n"
        "[oslo_messaging_notifications]\ntransport_url = rabbit://u:p@h/v?two=2\n"
    )
    ignored = read_command_line(["--config-file", str(file)], "heat-engine").ignored
    assert [sentence.partition(" has")[0] for sentence in ignored] == [
        "one in [DEFAULT] transport_url",
        "two in [oslo_messaging_notifications] transport_url",
    ]
