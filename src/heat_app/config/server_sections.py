"""The sections about the database, the broker, the web server and heat-trio itself."""

from __future__ import annotations

from dataclasses import dataclass

from heat_app.config.declaration import option

__all__ = [
    "CorsSettings",
    "DatabaseSettings",
    "HealthcheckSettings",
    "ListenSettings",
    "NotificationSettings",
    "OwnSettings",
    "PasteSettings",
    "PolicySettings",
    "ProxySettings",
    "RabbitSettings",
    "RevisionSettings",
    "YaqlSettings",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSettings:
    """[database]."""

    connection: str | None = option(secret=True)
    connection_parameters: str = ""
    connection_recycle_time: int = 3600
    db_inc_retry_interval: bool = option(True, unread="pauses grow always")
    db_max_retries: int = 20
    db_max_retry_interval: int = 10
    db_retry_interval: int = option(1, unread="pauses grow from 20 milliseconds")
    max_overflow: int | None = 50
    max_pool_size: int | None = 5
    max_retries: int | None = 10
    mysql_sql_mode: str | None = "TRADITIONAL"
    mysql_wsrep_sync_wait: int | None = None
    pool_timeout: int | None = option(
        unread="work waits for its turn, and a transaction has a deadline of its own"
    )
    retry_interval: int = 10
    sqlite_synchronous: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationSettings:
    """[oslo_messaging_notifications]."""

    driver: tuple[str, ...] = option((), kind="lines")
    retry: int = -1
    topics: tuple[str, ...] = ("notifications",)
    transport_url: str | None = option(secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RabbitSettings:
    """[oslo_messaging_rabbit]. Each may also stand in the query of transport_url."""

    amqp_auto_delete: bool = False
    amqp_durable_queues: bool = False
    enable_cancel_on_failover: bool = False
    heartbeat_rate: int = 3
    heartbeat_timeout_threshold: int = 60
    kombu_missing_consumer_retry_timeout: int = option(60, also=("kombu_reconnect_timeout",))
    rabbit_ha_queues: bool = False
    rabbit_interval_max: int = option(30, minimum=1)
    rabbit_login_method: str = option(
        "AMQPLAIN", choices=("PLAIN", "AMQPLAIN", "EXTERNAL", "RABBIT-CR-DEMO")
    )
    rabbit_qos_prefetch_count: int = 0
    rabbit_quorum_delivery_limit: int = 0
    rabbit_quorum_max_memory_bytes: int = 0
    rabbit_quorum_max_memory_length: int = 0
    rabbit_quorum_queue: bool = False
    rabbit_retry_backoff: int = 2
    rabbit_retry_interval: int = option(1, minimum=1)
    rabbit_stream_fanout: bool = False
    rabbit_transient_queues_ttl: int = 1800
    rabbit_transient_quorum_queue: bool = False
    ssl: bool = False
    ssl_ca_file: str = ""
    ssl_cert_file: str = ""
    ssl_enforce_hostname_verification: bool = option(True, leaving=True)
    ssl_key_file: str = ""
    ssl_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings:
    """[oslo_policy]."""

    policy_file: str = "policy.yaml"
    policy_dirs: tuple[str, ...] = option(("policy.d",), kind="lines")
    enforce_new_defaults: bool = True
    remote_content_type: str = option(
        "application/x-www-form-urlencoded",
        choices=("application/x-www-form-urlencoded", "application/json"),
    )
    remote_ssl_ca_crt_file: str | None = None
    remote_ssl_client_crt_file: str | None = None
    remote_ssl_client_key_file: str | None = None
    remote_ssl_verify_server_crt: bool = False
    remote_timeout: float = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class CorsSettings:
    """[cors]."""

    allowed_origin: tuple[str, ...] | None = None
    allow_credentials: bool = True
    allow_headers: tuple[str, ...] = (
        "X-Auth-Token",
        "X-Identity-Status",
        "X-Roles",
        "X-Service-Catalog",
        "X-User-Id",
        "X-Tenant-Id",
        "X-OpenStack-Request-ID",
    )
    allow_methods: tuple[str, ...] = ("GET", "PUT", "POST", "DELETE", "PATCH")
    expose_headers: tuple[str, ...] = (
        "X-Auth-Token",
        "X-Subject-Token",
        "X-Service-Token",
        "X-OpenStack-Request-ID",
    )
    max_age: int = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
    """[oslo_middleware]."""

    enable_proxy_headers_parsing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthcheckSettings:
    """[healthcheck]."""

    allowed_source_ranges: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    detailed: bool = False
    disable_by_file_path: str | None = None
    disable_by_file_paths: tuple[str, ...] = ()
    enable_by_file_paths: tuple[str, ...] = ()
    ignore_proxied_requests: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PasteSettings:
    """[paste_deploy]: the API's pipeline, by the file that describes it."""

    api_paste_config: str = "api-paste.ini"
    flavor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionSettings:
    """[revision]."""

    heat_revision: str = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class YaqlSettings:
    """[yaql]."""

    limit_iterators: int = 200
    memory_quota: int = 10000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenSettings:
    """[heat_api] and [heat_api_cfn]: how an API listens.

    Heat 27 leaves that to the web server; the names are those that its own server had.
    """

    bind_host: str = option("0.0.0.0")
    bind_port: int = option(8004, minimum=0, maximum=65535)
    backlog: int = option(4096, minimum=1)
    workers: int = option(0, minimum=0)
    """processes; 0: one a processor"""
    max_header_line: int = option(16384, minimum=1)
    tcp_keepidle: int = option(600, minimum=1)
    cert_file: str | None = None
    key_file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSettings:
    """[heat_trio]: what Heat has no option for."""

    resume: bool = True
    heartbeat_interval: float = option(5.0, minimum=0.1)
    lease_ttl: float = option(15.0, minimum=0.2)
    nodes_in_flight: int = option(200, minimum=1)
    metrics_port: int = option(
        0, minimum=0, maximum=65535, unread="there are no metrics to serve yet"
    )
    keep_alive_timeout: float = option(5.0, minimum=0.1)
    """how long a connection to an API may be idle, and its client take for a request's head"""
    client_timeout: float = option(60.0, minimum=0.1)
    """how long a client may let pass between two pieces of a body, or leave an answer unread"""
