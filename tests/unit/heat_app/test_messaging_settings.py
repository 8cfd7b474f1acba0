from __future__ import annotations

from pathlib import Path

import pytest

from heat_app.config import RabbitSettings, Settings
from heat_app.messaging_settings import messaging_settings
from heat_io.messaging.amqp import Address, AmqpSettings, TlsSettings, UnsupportedTransport


def test_heats_defaults_are_ours() -> None:
    assert messaging_settings(Settings()) == AmqpSettings()


def test_a_file_as_clouds_have_it(tmp_path: Path) -> None:
    file = tmp_path / "heat.conf"
    file.write_text(
        "[DEFAULT]\n"
        "transport_url = rabbit://u:p@one:5671,u:p@two:5671/heat\n"
        "control_exchange = other\n"
        "rpc_response_timeout = 600\n"
        "[oslo_messaging_rabbit]\n"
        "ssl = true\n"
        "ssl_ca_file = /ca.pem\n"
        "ssl_version = TLSv1_2\n"
        "ssl_enforce_hostname_verification = false\n"
        "rabbit_quorum_queue = true\n"
        "rabbit_transient_quorum_queue = true\n"
        "rabbit_quorum_delivery_limit = 5\n"
        "rabbit_qos_prefetch_count = 10\n"
        "rabbit_retry_interval = 3\n"
        "heartbeat_timeout_threshold = 30\n"
        "kombu_reconnect_timeout = 20\n"
        "rpc_conn_pool_size = 30\n"
    )
    assert messaging_settings(Settings.load([file]), process="heat-engine") == AmqpSettings(
        addresses=(Address("one", 5671, "u", "p"), Address("two", 5671, "u", "p")),
        virtual_host="heat",
        tls=TlsSettings("/ca.pem", None, None, "TLSv1_2", False),
        connection_name="heat-engine",
        control_exchange="other",
        call_timeout_seconds=600,
        quorum=True,
        transient_quorum=True,
        quorum_delivery_limit=5,
        prefetch=10,
        retry_seconds=3,
        heartbeat_seconds=30,
        missing_reply_queue_seconds=20,
    )


def test_options_in_the_url_go_first() -> None:
    settings = Settings(
        transport_url="rabbit://h/v?amqp_durable_queues=1&rabbit_interval_max=7&ssl_version=x&no=1",
        oslo_messaging_rabbit=RabbitSettings(rabbit_interval_max=9),
    )
    got = messaging_settings(settings)
    assert (got.durable, got.retry_max_seconds, got.tls) == (True, 7, None)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("rabbit_stream_fanout=true", "no stream queues"),
        ("rabbit_login_method=RABBIT-CR-DEMO", "RABBIT-CR-DEMO"),
        ("ssl=perhaps", "ssl=perhaps is neither true nor false"),
        ("rabbit_interval_max=long", "rabbit_interval_max=long is no number"),
        ("rabbit_quorum_queue=yes&rabbit_ha_queues=on", "exclude each other"),
    ],
)
def test_what_is_not_supported_is_said(query: str, text: str) -> None:
    with pytest.raises(UnsupportedTransport, match=text):
        messaging_settings(Settings(transport_url=f"rabbit://h/?{query}"))


def test_a_certificate_instead_of_a_password() -> None:
    rabbit = RabbitSettings(rabbit_login_method="EXTERNAL", ssl=True, ssl_cert_file="/c.pem")
    got = messaging_settings(Settings(oslo_messaging_rabbit=rabbit))
    assert got.external_login
    assert got.tls == TlsSettings(cert_file="/c.pem")
