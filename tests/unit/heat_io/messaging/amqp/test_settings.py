from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from heat_io.messaging.amqp.settings import (
    Address,
    AmqpSettings,
    TlsSettings,
    TransportUrl,
    UnsupportedTransport,
    parse_transport_url,
    tls_context,
)


@pytest.mark.parametrize(
    ("url", "addresses", "virtual_host"),
    [
        ("rabbit://", [Address()], "/"),
        ("rabbit:///", [Address()], "/"),
        ("rabbit://h//", [Address("h")], "/"),
        ("rabbit://h/v", [Address("h")], "v"),
        ("rabbit://u:p@h:1/a%2Fb", [Address("h", 1, "u", "p")], "a/b"),
        ("rabbit://u%40d:p%3A%2F@h:1/v", [Address("h", 1, "u@d", "p:/")], "v"),
        (
            "rabbit://u:p@one:1,u:p@two:2,three/v",
            [Address("one", 1, "u", "p"), Address("two", 2, "u", "p"), Address("three")],
            "v",
        ),
        ("kombu://u:p@[::1]:5673/v", [Address("::1", 5673, "u", "p")], "v"),
        ("rabbit://u:p@[fe80::1]/v", [Address("fe80::1", 5672, "u", "p")], "v"),
    ],
)
def test_transport_urls(url: str, addresses: list[Address], virtual_host: str) -> None:
    assert parse_transport_url(url) == TransportUrl(tuple(addresses), virtual_host, {})


def test_options_in_the_url() -> None:
    parsed = parse_transport_url("rabbit://h/v?ssl=true&rabbit_qos_prefetch_count=7")
    assert parsed.options == {"ssl": "true", "rabbit_qos_prefetch_count": "7"}


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("kafka://h/", "'kafka'"),
        ("nonsense", "''"),
        ("rabbit://h:port/", "'port' where a port is expected"),
    ],
)
def test_other_urls_are_refused(url: str, text: str) -> None:
    with pytest.raises(UnsupportedTransport, match=text):
        parse_transport_url(url)


def test_passwords_do_not_show() -> None:
    assert "secret" not in repr(parse_transport_url("rabbit://u:secret@h/"))
    assert "secret" not in repr(AmqpSettings(addresses=(Address(password="secret"),)))


def test_two_kinds_of_replicated_queues_exclude_each_other() -> None:
    with pytest.raises(UnsupportedTransport, match="rabbit_ha_queues"):
        AmqpSettings(quorum=True, mirrored=True)


def test_the_chain_is_always_verified_and_the_host_against_a_given_authority(
    tmp_path: Path,
) -> None:
    context = tls_context(TlsSettings())
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname is False
    with pytest.raises(OSError, match="No such file"):
        tls_context(TlsSettings(ca_file=str(tmp_path / "none.pem")))


def test_tls_versions() -> None:
    assert tls_context(TlsSettings(version="TLSv1_2")).maximum_version is ssl.TLSVersion.TLSv1_2
    assert tls_context(TlsSettings(version="SSLv23")).minimum_version is not None
    with pytest.raises(UnsupportedTransport, match="SSLv9"):
        tls_context(TlsSettings(version="SSLv9"))
