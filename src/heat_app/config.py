"""heat.conf as frozen values: Heat's option names and defaults, and our section [heat_trio].

Each field is an option; its annotation and metadata give oslo.config's type, so that a file
written for Heat is read as Heat reads it (facts/config.json). `Settings.load` reads files;
`heat-trio up` builds a Settings by hand. Options that nothing of heat-trio reads yet are not
here: oslo.config ignores what it does not know.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Self, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from oslo_config import cfg

__all__ = [
    "ClientSettings",
    "CorsSettings",
    "Credentials",
    "DatabaseSettings",
    "ListenSettings",
    "OwnSettings",
    "PolicySettings",
    "ProxySettings",
    "RabbitSettings",
    "RevisionSettings",
    "Settings",
    "TokenSettings",
]


def _option(default: Any = None, **metadata: Any) -> Any:
    """A field with what oslo.config must know beside its type: min, max, choices, secret.

    A secret stays out of the repr and of oslo.config's logs; `also` are older names.
    """
    return field(default=default, repr=not metadata.get("secret"), metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The options of a password in Keystone, as [trustee] has them."""

    auth_type: str | None = None
    auth_url: str | None = None
    username: str | None = _option(also=("user-name", "user_name"))
    user_id: str | None = None
    password: str | None = _option(secret=True)
    user_domain_id: str | None = None
    user_domain_name: str | None = None
    project_id: str | None = _option(also=("tenant-id", "tenant_id"))
    project_name: str | None = _option(also=("tenant-name", "tenant_name"))
    project_domain_id: str | None = None
    project_domain_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSettings(Credentials):
    """[keystone_authtoken]: how users' tokens are checked."""

    www_authenticate_uri: str | None = _option(also=("auth_uri",))
    region_name: str | None = None
    interface: str = "internal"
    cafile: str | None = None
    insecure: bool = False
    token_cache_time: int = 300
    http_request_max_retries: int = 3
    http_connect_timeout: int | None = None
    include_service_catalog: bool = True
    service_token_roles: tuple[str, ...] = ("service",)
    service_token_roles_required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """[clients] and [clients_keystone]: how services are reached."""

    endpoint_type: str | None = None
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    insecure: bool | None = None
    auth_uri: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSettings:
    """[database]."""

    connection: str | None = _option(secret=True)
    max_pool_size: int = 5
    max_overflow: int = 50
    connection_recycle_time: int = 3600
    max_retries: int = 10
    db_max_retries: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RabbitSettings:
    """[oslo_messaging_rabbit]. Each may also stand in the query of transport_url."""

    amqp_auto_delete: bool = False
    amqp_durable_queues: bool = False
    enable_cancel_on_failover: bool = False
    heartbeat_rate: int = 3
    heartbeat_timeout_threshold: int = 60
    kombu_missing_consumer_retry_timeout: int = _option(60, also=("kombu_reconnect_timeout",))
    rabbit_ha_queues: bool = False
    rabbit_interval_max: int = _option(30, min=1)
    rabbit_login_method: str = _option(
        "AMQPLAIN", choices=("PLAIN", "AMQPLAIN", "EXTERNAL", "RABBIT-CR-DEMO")
    )
    rabbit_qos_prefetch_count: int = 0
    rabbit_quorum_delivery_limit: int = 0
    rabbit_quorum_max_memory_bytes: int = 0
    rabbit_quorum_max_memory_length: int = 0
    rabbit_quorum_queue: bool = False
    rabbit_retry_backoff: int = _option(2, min=0)
    rabbit_retry_interval: int = _option(1, min=1)
    rabbit_stream_fanout: bool = False
    rabbit_transient_queues_ttl: int = _option(1800, min=0)
    rabbit_transient_quorum_queue: bool = False
    ssl: bool = False
    ssl_ca_file: str = ""
    ssl_cert_file: str = ""
    ssl_enforce_hostname_verification: bool = True
    ssl_key_file: str = ""
    ssl_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings:
    """[oslo_policy]."""

    policy_file: str = "policy.yaml"
    policy_dirs: tuple[str, ...] = _option(("policy.d",), multi=True)
    enforce_new_defaults: bool = True


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
class RevisionSettings:
    """[revision]."""

    heat_revision: str = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenSettings:
    """[heat_api]: how an API listens. Heat 27 leaves that to the web server; the names are those
    that its own server had."""

    bind_host: str = "0.0.0.0"
    bind_port: int = _option(8004, min=0, max=65535)
    backlog: int = _option(4096, min=1)
    workers: int = _option(0, min=0)
    """processes; 0: one a processor"""
    max_header_line: int = _option(16384, min=1)
    tcp_keepidle: int = _option(600, min=1)
    cert_file: str | None = None
    key_file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSettings:
    """[heat_trio]: what Heat has no option for."""

    resume: bool = True
    heartbeat_interval: float = _option(5.0, min=0.1)
    lease_ttl: float = _option(15.0, min=0.2)
    nodes_in_flight: int = _option(200, min=1)
    metrics_port: int = 0
    keep_alive_timeout: float = _option(5.0, min=0.1)
    """how long a connection to an API may be idle, and its client take for a request's head"""
    client_timeout: float = _option(60.0, min=0.1)
    """how long a client may let pass between two pieces of a body, or leave an answer unread"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """[DEFAULT] as fields, every other section as a field of its name.

    Durations are seconds, sizes bytes, as the files have them.
    """

    auth_encryption_key: str = _option("notgood but just long enough i t", secret=True)
    client_retry_limit: int = 2
    action_retry_limit: int = 5
    control_exchange: str = "heat"
    debug: bool = False
    deferred_auth_method: str = _option("trusts", choices=("password", "trusts"))
    reauthentication_auth_method: str = _option("", choices=("", "trusts"))
    allow_trusts_redelegation: bool = False
    trusts_delegated_roles: tuple[str, ...] = ()
    enable_stack_abandon: bool = False
    enable_stack_adopt: bool = False
    encrypt_parameters_and_properties: bool = False
    engine_life_check_timeout: int = 2
    environment_dir: str = "/etc/heat/environment.d"
    template_dir: str = "/etc/heat/templates"
    error_wait_time: int = 240
    event_purge_batch_size: int = _option(200, min=1)
    graceful_shutdown_timeout: int = _option(60, min=0)
    """what is under way gets so long to end when the process is told to; 0: for ever"""
    heat_metadata_server_url: str | None = None
    heat_waitcondition_server_url: str | None = None
    heat_stack_user_role: str = "heat_stack_user"
    hidden_stack_tags: tuple[str, ...] = ()
    host: str = field(default_factory=socket.gethostname)
    max_events_per_stack: int = 1000
    max_json_body_size: int = 1048576
    max_nested_stack_depth: int = 5
    max_resources_per_stack: int = 1000
    max_server_name_length: int = _option(53, max=53)
    max_snapshots_per_stack: int = 32
    max_stacks_per_tenant: int = 512
    max_template_size: int = 524288
    num_engine_workers: int | None = _option(None, min=1)
    observe_on_update: bool = False
    periodic_interval: int = 60
    region_name_for_services: str | None = None
    region_name_for_shared_services: str | None = None
    rpc_response_timeout: int = 60
    server_keystone_endpoint_type: str = _option("", choices=("", "public", "internal", "admin"))
    stack_action_timeout: int = 3600
    stack_domain_admin: str | None = None
    stack_domain_admin_password: str | None = _option(None, secret=True)
    stack_user_domain_id: str | None = None
    stack_user_domain_name: str | None = None
    template_fetch_timeout: float = 60.0
    transport_url: str = _option("rabbit://", secret=True)
    log_file: str | None = _option(None, also=("logfile",))
    log_dir: str | None = _option(None, also=("logdir",))
    use_json: bool = False
    default_log_levels: tuple[str, ...] = ()

    keystone_authtoken: TokenSettings = TokenSettings()
    trustee: Credentials = Credentials()
    clients: ClientSettings = ClientSettings(endpoint_type="public", insecure=False)
    clients_keystone: ClientSettings = ClientSettings()
    cors: CorsSettings = CorsSettings()
    database: DatabaseSettings = DatabaseSettings()
    heat_api: ListenSettings = ListenSettings()
    heat_api_cfn: ListenSettings = ListenSettings(bind_port=8000, workers=1)
    heat_trio: OwnSettings = OwnSettings()
    oslo_messaging_rabbit: RabbitSettings = RabbitSettings()
    oslo_middleware: ProxySettings = ProxySettings()
    oslo_policy: PolicySettings = PolicySettings()
    revision: RevisionSettings = RevisionSettings()

    config_files: tuple[str, ...] = field(default=(), metadata={"internal": True})

    @classmethod
    def load(cls, config_files: Sequence[str | Path]) -> Self:
        """Read the files, later ones over earlier ones.

        Raises oslo_config.cfg.Error with the reason when a file is missing or a value is wrong.
        """
        from oslo_config import cfg

        paths = [str(path) for path in config_files]
        conf = cfg.ConfigOpts()
        _register(conf, cls, None)
        conf([], project="heat", default_config_files=paths, default_config_dirs=[])
        return replace(_read(conf, cls), config_files=tuple(paths))


def _register(conf: cfg.ConfigOpts, section: type[Any], group: str | None) -> None:
    hints = get_type_hints(section)
    for item in fields(section):
        if item.metadata.get("internal"):
            continue
        if hasattr(item.default, "__dataclass_fields__"):
            _register_section(conf, item.name, item.default)
            continue
        default = item.default_factory() if callable(item.default_factory) else item.default
        conf.register_opt(_as_opt(item, hints[item.name], default, group), group=group)


def _register_section(conf: cfg.ConfigOpts, group: str, defaults: Any) -> None:
    hints = get_type_hints(type(defaults))
    for item in fields(defaults):
        default = getattr(defaults, item.name)
        conf.register_opt(_as_opt(item, hints[item.name], default, group), group=group)


def _as_opt(item: Any, hint: Any, default: Any, group: str | None) -> cfg.Opt:
    from oslo_config import cfg

    metadata = item.metadata
    kind = _plain(hint)
    arguments: dict[str, Any] = {
        name: metadata[name] for name in ("min", "max", "choices", "secret") if name in metadata
    }
    arguments["default"] = list(default) if isinstance(default, tuple) else default
    arguments["deprecated_opts"] = [
        cfg.DeprecatedOpt(name, group=group or "DEFAULT") for name in metadata.get("also", ())
    ]
    types: dict[Any, type[cfg.Opt]] = {
        bool: cfg.BoolOpt,
        int: cfg.IntOpt,
        float: cfg.FloatOpt,
        str: cfg.StrOpt,
        tuple: cfg.MultiStrOpt if metadata.get("multi") else cfg.ListOpt,
    }
    return types[kind](item.name, **arguments)


def _plain(hint: Any) -> Any:
    """The type that decides the kind of option: int for `int | None`, tuple for tuples."""
    if isinstance(hint, UnionType):
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    return get_origin(hint) or hint


def _read[T](conf: Any, section: type[T], group: str | None = None) -> T:
    """An instance of `section` with the values that `conf` has for it."""
    values: dict[str, Any] = {}
    source = conf if group is None else getattr(conf, group)
    for item in fields(section):  # type: ignore[arg-type] # mypy can't bind T to dataclasses
        if item.metadata.get("internal"):
            continue
        if hasattr(item.default, "__dataclass_fields__"):
            values[item.name] = _read(conf, type(item.default), item.name)
            continue
        value = getattr(source, item.name)
        values[item.name] = tuple(value) if isinstance(value, list) else value
    return section(**values)
