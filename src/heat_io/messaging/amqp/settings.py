"""What the AMQP transport must know: where the brokers are and how queues are declared.

The options are those of [oslo_messaging_rabbit] (facts/rpc.json, rabbit); the mapping from files
is heat_app's. Peers on the same broker must agree on everything that `topology` declares.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

DEFAULT_PORT = 5672
TRANSPORTS = ("rabbit", "kombu", "amqp")


class UnsupportedTransport(ValueError):
    """The configuration asks for a transport, or an option of one, that heat-trio has not."""


@dataclass(frozen=True, slots=True)
class Address:
    """One broker and who we are there."""

    host: str = "localhost"
    port: int = DEFAULT_PORT
    user: str = "guest"
    password: str = field(default="guest", repr=False)


@dataclass(frozen=True, slots=True)
class TransportUrl:
    """A transport_url. `options` are option names and texts that go before the files' values."""

    addresses: tuple[Address, ...]
    virtual_host: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """How a connection is encrypted. Without `ca_file` the system's authorities are trusted.

    `version` as in `ssl_version`: empty for the best that both sides know.
    """

    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    version: str = ""
    verify_host: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AmqpSettings:
    """Brokers, declarations, patience. Durations are seconds.

    The addresses are tried in their order, round and round.
    """

    addresses: tuple[Address, ...] = (Address(),)
    virtual_host: str = "/"
    tls: TlsSettings | None = None
    external_login: bool = False
    """the client's certificate says who we are"""
    connection_name: str = "heat-trio"

    control_exchange: str = "heat"
    durable: bool = False
    auto_delete: bool = False
    mirrored: bool = False
    quorum: bool = False
    transient_quorum: bool = False
    quorum_delivery_limit: int = 0
    quorum_max_memory_length: int = 0
    quorum_max_memory_bytes: int = 0
    transient_ttl_seconds: int = 1800
    """how long the broker keeps reply and fanout queues that nobody uses; 0 is forever"""
    cancel_on_failover: bool = False

    prefetch: int = 0
    """a bound on messages that are sent to us and not acknowledged, beside a server's own"""
    heartbeat_seconds: int = 60
    """the broker counts as lost after so long a silence; 0 is never"""
    heartbeat_rate: int = 3
    retry_seconds: float = 1.0
    retry_step_seconds: float = 2.0
    retry_max_seconds: float = 30.0
    connect_seconds: float = 10.0
    request_seconds: float = 10.0
    """for declaring, consuming, acknowledging"""
    confirm_seconds: float = 30.0
    """for the broker to have taken a message"""

    call_timeout_seconds: float = 60.0
    missing_reply_queue_seconds: float = 60.0
    """how long an answer is offered to a reply queue that is not there"""
    duplicate_window: int = 1024

    def __post_init__(self) -> None:
        if self.quorum and self.mirrored:
            raise UnsupportedTransport(
                "rabbit_quorum_queue and rabbit_ha_queues exclude each other."
            )


def parse_transport_url(url: str) -> TransportUrl:
    """Read driver://[user:password@]host[:port][,...]/[virtual_host][?option=value].

    Raises UnsupportedTransport when it is none, or for another driver than RabbitMQ's.
    """
    parts = urlsplit(url)
    if parts.scheme not in TRANSPORTS:
        raise UnsupportedTransport(
            f"transport_url names the driver {parts.scheme!r}; heat-trio speaks to RabbitMQ only"
            " (rabbit://...)."
        )
    addresses = tuple(_address(place) for place in parts.netloc.split(",") if place)
    options = {name: ",".join(values) for name, values in parse_qs(parts.query).items()}
    return TransportUrl(addresses or (Address(),), unquote(parts.path[1:]) or "/", options)


def _address(place: str) -> Address:
    login, at, where = place.rpartition("@")
    user, _, password = login.partition(":") if at else ("", "", "")
    host, port = _host_and_port(where)
    return Address(
        host or "localhost", port, unquote(user) or "guest", unquote(password) or "guest"
    )


def _host_and_port(where: str) -> tuple[str, int]:
    if where.startswith("["):  # an IPv6 address
        host, _, rest = where[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        host, _, port = where.partition(":")
    if port and not port.isdecimal():
        raise UnsupportedTransport(f"transport_url has {port!r} where a port is expected.")
    return host, int(port) if port else DEFAULT_PORT


_VERSIONS = {
    "tlsv1": ssl.TLSVersion.TLSv1,
    "tlsv1_1": ssl.TLSVersion.TLSv1_1,
    "tlsv1_2": ssl.TLSVersion.TLSv1_2,
    "tlsv1_3": ssl.TLSVersion.TLSv1_3,
}


def tls_context(tls: TlsSettings) -> ssl.SSLContext:
    """The context for connections; OSError for files that can't be read.

    As Heat's own client: the chain is always verified, the host's name only against a given
    ca_file.
    """
    context = ssl.create_default_context(cafile=tls.ca_file)
    context.check_hostname = bool(tls.ca_file) and tls.verify_host
    if tls.cert_file:
        context.load_cert_chain(tls.cert_file, tls.key_file)
    wanted = tls.version.lower()
    if wanted in _VERSIONS:
        context.minimum_version = context.maximum_version = _VERSIONS[wanted]
    elif wanted not in ("", "sslv23"):
        raise UnsupportedTransport(f"ssl_version {tls.version!r} is not known.")
    return context
