"""Options of the libraries that Heat is made of which heat-trio does not read, and why."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from heat_app.config.declaration import Declaration
from heat_app.config.unread_options import (
    because,
    integer,
    lines,
    listing,
    mapping,
    number,
    switch,
    text,
    uri,
)

__all__ = ["UNREAD_OF_LIBRARIES"]

UNREAD_OF_LIBRARIES: Mapping[str, tuple[Declaration, ...]] = {
    "cache": (
        *because(
            "nothing is kept outside of the processes that need it",
            text(
                "backend",
                "dogpile.cache.null",
                choices=(
                    "oslo_cache.memcache_pool",
                    "oslo_cache.dict",
                    "oslo_cache.etcd3gw",
                    "dogpile.cache.pymemcache",
                    "dogpile.cache.memcached",
                    "dogpile.cache.pylibmc",
                    "dogpile.cache.bmemcached",
                    "dogpile.cache.dbm",
                    "dogpile.cache.redis",
                    "dogpile.cache.redis_sentinel",
                    "dogpile.cache.memory",
                    "dogpile.cache.memory_pickle",
                    "dogpile.cache.null",
                ),
            ),
            lines("backend_argument", (), secret=True),
            integer("backend_expiration_time", minimum=1),
            text("config_prefix", "cache.oslo"),
            switch("debug_cache_backend", False),
            switch("enable_retry_client", False),
            switch("enable_socket_keepalive", False),
            switch("enabled", False),
            integer("expiration_time", 600, minimum=1),
            number("hashclient_dead_timeout", 60, also=("dead_timeout",)),
            integer("hashclient_retry_attempts", 2, minimum=1),
            number("hashclient_retry_timeout", 1, also=("hashclient_retry_delay",)),
            integer("memcache_dead_retry", 300),
            integer("memcache_pool_connection_get_timeout", 10),
            switch("memcache_pool_flush_on_reconnect", False),
            integer("memcache_pool_maxsize", 10),
            integer("memcache_pool_unused_timeout", 60),
            switch("memcache_sasl_enabled", False),
            listing("memcache_servers", ("localhost:11211",)),
            text("password", also=("memcache_password", "redis_password"), secret=True),
            listing("proxies", ()),
            integer("redis_db", 0),
            text("redis_sentinel_service_name", "mymaster"),
            listing("redis_sentinels", ("localhost:26379",)),
            text("redis_server", "localhost:6379"),
            integer("retry_attempts", 2, minimum=1),
            number("retry_delay", 0),
            integer("socket_keepalive_count", 1),
            integer("socket_keepalive_idle", 1),
            integer("socket_keepalive_interval", 1),
            number("socket_timeout", 1.0, also=("memcache_socket_timeout", "redis_socket_timeout")),
            text("tls_allowed_ciphers"),
            text("tls_cafile"),
            text("tls_certfile"),
            switch("tls_enabled", False),
            text("tls_keyfile"),
            text("username", also=("memcache_username", "redis_username")),
        ),
    ),
    "oslo_messaging_kafka": (
        *because(
            "heat-trio speaks to RabbitMQ only",
            text("compression_codec", "none", choices=("none", "gzip", "snappy", "lz4", "zstd")),
            text("consumer_group", "oslo_messaging_consumer"),
            switch("enable_auto_commit", False),
            number("kafka_consumer_timeout", 1.0),
            integer("kafka_max_fetch_bytes", 1048576),
            integer("max_poll_records", 500),
            integer("producer_batch_size", 16384),
            number("producer_batch_timeout", 0.0),
            text("sasl_mechanism", "PLAIN"),
            text(
                "security_protocol",
                "PLAINTEXT",
                choices=("PLAINTEXT", "SASL_PLAINTEXT", "SSL", "SASL_SSL"),
            ),
            text("ssl_cafile", ""),
            text("ssl_client_cert_file", ""),
            text("ssl_client_key_file", ""),
            text("ssl_client_key_password", ""),
        ),
    ),
    "oslo_messaging_rabbit": (
        *because(
            "a process has one connection to send on and one to take on",
            integer("conn_pool_min_size", 2),
            integer("conn_pool_ttl", 1200),
            integer("rpc_conn_pool_size", 30, minimum=1),
        ),
        *because(
            "a reply that nobody waits for is always noticed",
            switch("direct_mandatory_flag", True, leaving=True),
        ),
        *because(
            "it is for the queue manager, which is not there",
            text("hostname", socket.gethostname(), example="node1.example.com"),
            text("processname", "heat-trio", example="nova-api"),
        ),
        *because(
            "bodies are read in any compression and sent in none",
            text("kombu_compression"),
        ),
        *because(
            "hosts are tried in the order of transport_url",
            text("kombu_failover_strategy", "round-robin", choices=("round-robin", "shuffle")),
        ),
        *because(
            "see rabbit_retry_interval",
            number("kombu_reconnect_delay", 1.0, maximum=4.5),
            number("kombu_reconnect_splay", 0.0),
        ),
        *because(
            "that is the system's to enforce",
            switch("ssl_enforce_fips_mode", False, leaving=True),
        ),
        *because(
            "queues for replies get random names",
            switch("use_queue_manager", False),
        ),
    ),
    "oslo_middleware": (
        *because(
            "the filter basic_auth is not there",
            text("http_basic_auth_user_file", "/etc/htpasswd"),
        ),
        *because(
            "see [DEFAULT] max_json_body_size",
            integer("max_request_body_size", 114688),
        ),
    ),
    "oslo_middleware_tracing": (
        *because(
            "requests are not traced",
            switch("enabled", False),
            switch("insecure", False),
            uri("otlp_endpoint", "http://localhost:4318"),
            text("otlp_protocol", "http/protobuf", choices=("http/protobuf", "grpc")),
            number("sampling_rate", 1.0, maximum=1.0),
            text("service_name", required=True),
        ),
    ),
    "oslo_policy": (
        *because(
            "API rules that are not known deny",
            text("policy_default_rule", "default"),
        ),
    ),
    "oslo_reports": (
        *because(
            "there is no report of a running process on a signal or a file",
            text("file_event_handler"),
            integer("file_event_handler_interval", 1),
            text("log_dir"),
        ),
    ),
    "oslo_versionedobjects": (
        *because(
            "errors do not depend on it",
            switch("fatal_exception_format_errors", False),
        ),
    ),
    "profiler": (
        *because(
            "there is no osprofiler in heat-trio",
            text("connection_string", "messaging://"),
            switch("enabled", False, also=("profiler_enabled",)),
            text("es_doc_type", "notification"),
            integer("es_scroll_size", 10000),
            text("es_scroll_time", "2m"),
            switch("filter_error_trace", False),
            text("hmac_keys", "SECRET_KEY", secret=True),
            text("sentinel_service_name", "mymaster"),
            number("socket_timeout", 0.1),
            switch("trace_requests", False),
            switch("trace_sqlalchemy", False),
        ),
    ),
    "profiler_jaeger": (
        *because(
            "there is no osprofiler in heat-trio",
            mapping("process_tags", {}, leaving=True),
            text("service_name_prefix", leaving=True),
        ),
    ),
    "profiler_otlp": (
        *because(
            "there is no osprofiler in heat-trio",
            text("service_name_prefix"),
        ),
    ),
}
