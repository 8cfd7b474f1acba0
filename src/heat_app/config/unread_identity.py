"""Options about Keystone that heat-trio does not read, and why."""

from __future__ import annotations

from collections.abc import Mapping

from heat_app.config.declaration import Declaration
from heat_app.config.unread_options import (
    because,
    integer,
    integers,
    listing,
    number,
    plain,
    switch,
    text,
    uris,
)

__all__ = ["UNREAD_ABOUT_IDENTITY"]

UNREAD_ABOUT_IDENTITY: Mapping[str, tuple[Declaration, ...]] = {
    "auth_password": (
        *because(
            "the filter authpassword is not there",
            uris("allowed_auth_uris", ()),
            switch("multi_cloud", False),
        ),
    ),
    "ec2authtoken": (
        *because(
            "the CloudFormation API is not built yet",
            plain("auth-url", required=True),
            plain("auth_section"),
            plain("auth_type", also=("auth_plugin",)),
            text("cafile"),
            text("certfile"),
            listing("clouds", ()),
            switch("collect-timing", False),
            integer("connect-retries"),
            number("connect-retry-delay"),
            plain("domain-id"),
            plain("domain-name"),
            text("endpoint-override"),
            switch("insecure", False),
            text("interface", leaving=True),
            text("keyfile"),
            text("max-version"),
            text("min-version"),
            switch("multi_cloud", False),
            plain("password", secret=True),
            plain("project-domain-id"),
            plain("project-domain-name"),
            plain("project-id"),
            plain("project-name"),
            text("region-name"),
            integers("retriable-status-codes"),
            text("service-name"),
            text("service-type"),
            switch("split-loggers", False),
            integer("status-code-retries"),
            number("status-code-retry-delay"),
            plain("system-scope"),
            number("timeout"),
            text("tls-ciphers"),
            text("tls-min-version", choices=(None, "1.2", "1.3")),
            plain("trust-id"),
            plain("user-domain-id"),
            plain("user-domain-name"),
            plain("user-id"),
            plain("username", also=("user-name",)),
            listing("valid-interfaces"),
            text("version"),
        ),
    ),
    "keystone_authtoken": (
        *because(
            "heat-trio speaks Keystone's version 3 only",
            text("auth_version"),
        ),
        *because(
            "no WSGI server shares a cache",
            text("cache"),
        ),
        *because(
            "a request without a valid token is refused at once",
            switch("delay_auth_decision", False),
        ),
        *because(
            "Keystone's version 3 binds no tokens",
            text("enforce_token_bind", "permissive"),
        ),
        *because(
            "checked tokens are remembered in each process, not in memcached",
            text("memcache_password", secret=True),
            integer("memcache_pool_conn_get_timeout", 10),
            integer("memcache_pool_dead_retry", 300),
            integer("memcache_pool_maxsize", 10),
            integer("memcache_pool_socket_timeout", 3),
            integer("memcache_pool_unused_timeout", 60),
            switch("memcache_sasl_enabled", False),
            text("memcache_secret_key", secret=True),
            text(
                "memcache_security_strategy",
                "None",
                choices=("None", "MAC", "ENCRYPT"),
                any_case=True,
            ),
            text("memcache_tls_allowed_ciphers"),
            text("memcache_tls_cafile"),
            text("memcache_tls_certfile"),
            switch("memcache_tls_enabled", False),
            text("memcache_tls_keyfile"),
            switch("memcache_use_advanced_pool", True),
            text("memcache_username"),
            listing("memcached_servers", also=("memcache_servers",)),
        ),
        *because(
            "access rules are those of the type orchestration",
            text("service_type"),
        ),
    ),
    "noauth": (
        *because(
            "the filter noauth is not there",
            text("token_response", ""),
        ),
    ),
}
