"""Heat's own options that heat-trio does not read, and why."""

from __future__ import annotations

from collections.abc import Mapping

from heat_app.config.declaration import Declaration
from heat_app.config.unread_options import (
    UNBUILT,
    because,
    integer,
    number,
    switch,
    text,
    uri,
)

__all__ = ["UNREAD_OF_HEAT"]

UNREAD_OF_HEAT: Mapping[str, tuple[Declaration, ...]] = {
    "DEFAULT": (
        *because(
            "it names Python code of Heat's",
            text("cloud_backend", "heat.engine.clients.OpenStackClients"),
            text(
                "keystone_backend",
                "heat.engine.clients.os.keystone.heat_keystoneclient.KsClientWrapper",
            ),
        ),
        *because(
            "every stack converges",
            switch("convergence_engine", True, leaving=True),
        ),
        *because(
            UNBUILT,
            text(
                "default_deployment_signal_transport",
                "CFN_SIGNAL",
                choices=("CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "ZAQAR_SIGNAL"),
            ),
            text(
                "default_software_config_transport",
                "POLL_SERVER_CFN",
                choices=("POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE"),
            ),
            text(
                "default_user_data_format",
                "HEAT_CFNTOOLS",
                choices=("HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG"),
            ),
            text("instance_connection_https_validate_certificates", "1"),
            text("instance_connection_is_secure", "0"),
            text("loadbalancer_template"),
            text("max_cinder_api_microversion", pattern=r"^3\.\d+$"),
            integer("max_interface_check_attempts", 10, minimum=1),
            text("max_ironic_api_microversion", pattern=r"^1\.\d+$"),
            text("max_nova_api_microversion", pattern=r"^2\.\d+$"),
            integer("max_software_configs_per_tenant", 4096),
            integer("max_software_deployments_per_tenant", 4096),
            number("metadata_put_timeout", 60),
            switch("stack_scheduler_hints", False),
        ),
        *because(
            "an action that is cancelled ends at its next wait",
            integer("error_wait_time", 240),
        ),
        *because(
            "there is no thread pool: see [heat_trio] nodes_in_flight",
            integer("executor_thread_pool_size", 64, also=("rpc_thread_pool_size",)),
        ),
        *because(
            "there is no ping endpoint",
            switch("rpc_ping_enabled", False),
        ),
        *because(
            "Heat does not use it either: environments name their templates by file:// addresses",
            text("template_dir", "/etc/heat/templates"),
        ),
    ),
    "clients_cinder": (
        *because(
            "requests are logged without headers and bodies, whatever the service",
            switch("http_log_debug", False),
        ),
    ),
    "clients_heat": (
        *because(
            UNBUILT,
            uri("url"),
        ),
    ),
    "clients_nova": (
        *because(
            "requests are logged without headers and bodies, whatever the service",
            switch("http_log_debug", False),
        ),
    ),
    "constraint_validation_cache": (
        *because(
            "every check of a constraint asks the service",
            switch("caching", True),
            integer("expiration_time", 60),
        ),
    ),
    "resource_finder_cache": (
        *because(
            "every name is looked up anew",
            switch("caching", True),
            integer("expiration_time", 3600),
        ),
    ),
    "service_extension_cache": (
        *because(
            "services' extensions are not asked for",
            switch("caching", True),
            integer("expiration_time", 3600),
        ),
    ),
    "volumes": (
        *because(
            UNBUILT,
            switch("backups_enabled", True),
        ),
    ),
    "database": (
        *because(
            "`connection` is used",
            text("asyncio_connection", secret=True),
        ),
        *because(
            "`connection` is used for reading too",
            text("asyncio_slave_connection", secret=True),
        ),
        *because(
            "there is one",
            text("backend", "sqlalchemy"),
        ),
        *because(
            "statements with their values would show secrets",
            integer("connection_debug", 0, maximum=100),
        ),
        *because(
            "statements carry no comments",
            switch("connection_trace", False),
        ),
        *because(
            "`connection` is used for reading too: what is read decides what is written",
            text("slave_connection", secret=True),
        ),
        *because(
            "readers always see what was written",
            switch("synchronous_reader", True),
        ),
        *because(
            "a lost connection is always replaced",
            switch("use_db_reconnect", False),
        ),
    ),
}
