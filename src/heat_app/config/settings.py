# ruff: noqa: RUF009 - sections are frozen, so that a default may be shared
"""heat.conf as frozen values: Heat's option names and defaults, and our section [heat_trio].

Each field is an option, so that a file written for Heat is read as Heat reads it
(facts/config.json). `Settings.load` reads files; `heat-trio up` builds a Settings by hand. Whatever
else Heat knows is in heat_app.config.unread. A field whose option says `unread` is there for what
is to come.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from heat_app.config.declaration import option
from heat_app.config.identity_sections import (
    ClientSettings,
    Credentials,
    IdentityClientSettings,
    TokenSettings,
)
from heat_app.config.server_sections import (
    CorsSettings,
    DatabaseSettings,
    HealthcheckSettings,
    ListenSettings,
    NotificationSettings,
    OwnSettings,
    PasteSettings,
    PolicySettings,
    ProxySettings,
    RabbitSettings,
    RevisionSettings,
    YaqlSettings,
)
from heat_app.config.unread_options import UNBUILT

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """[DEFAULT] as fields, every other section as a field of its name.

    Durations are seconds, sizes bytes, as the files have them.
    """

    action_retry_limit: int = 5
    allow_trusts_redelegation: bool = False
    auth_encryption_key: str = option("notgood but just long enough i t", secret=True)
    client_retry_limit: int = 2
    control_exchange: str = "heat"
    debug: bool = option(False, mutable=True)
    default_notification_level: str = "INFO"
    default_publisher_id: str | None = None
    deferred_auth_method: str = option("trusts", choices=("password", "trusts"), leaving=True)
    enable_stack_abandon: bool = False
    """without it what Heat began as a delete is one, and is gone on with"""
    enable_stack_adopt: bool = option(False, unread=UNBUILT)
    encrypt_parameters_and_properties: bool = False
    engine_life_check_timeout: int = 2
    environment_dir: str = "/etc/heat/environment.d"
    event_purge_batch_size: int = option(200, minimum=1)
    graceful_shutdown_timeout: int = option(60, mutable=True)
    """what is under way gets so long to end when the process is told to; 0: for ever"""
    heat_metadata_server_url: str | None = option(kind="uri", unread=UNBUILT)
    heat_stack_user_role: str = "heat_stack_user"
    heat_waitcondition_server_url: str | None = option(kind="uri", unread=UNBUILT)
    hidden_stack_tags: tuple[str, ...] = ()
    host: str = field(default_factory=socket.gethostname, metadata={"example": "<Hostname>"})
    log_options: bool = option(True, mutable=True)
    max_events_per_stack: int = 1000
    max_json_body_size: int = 1048576
    max_nested_stack_depth: int = 5
    max_resources_per_stack: int = 1000
    max_server_name_length: int = option(53, maximum=53, unread=UNBUILT)
    max_snapshots_per_stack: int = option(32, unread=UNBUILT)
    max_stacks_per_tenant: int = 512
    max_template_size: int = 524288
    num_engine_workers: int | None = option(minimum=1)
    observe_on_update: bool = option(False, unread=UNBUILT)
    periodic_interval: int = 60
    plugin_dirs: tuple[str, ...] = (
        "/usr/lib64/heat",
        "/usr/lib/heat",
        "/usr/local/lib/heat",
        "/usr/local/lib64/heat",
    )
    reauthentication_auth_method: str = option("", choices=("", "trusts"))
    region_name_for_services: str | None = None
    region_name_for_shared_services: str | None = None
    rpc_response_timeout: int = 60
    server_keystone_endpoint_type: str = option(
        "", choices=("", "public", "internal", "admin"), unread=UNBUILT
    )
    shared_services_types: tuple[str, ...] = ("image", "volumev3")
    stack_action_timeout: int = 3600
    stack_domain_admin: str | None = None
    stack_domain_admin_password: str | None = option(secret=True)
    stack_user_domain_id: str | None = None
    stack_user_domain_name: str | None = None
    template_fetch_timeout: float = 60
    transport_url: str = option("rabbit://", secret=True)
    trusts_delegated_roles: tuple[str, ...] = ()

    clients: ClientSettings = ClientSettings(endpoint_type="public", insecure=False)
    clients_aodh: ClientSettings = ClientSettings()
    clients_barbican: ClientSettings = ClientSettings()
    clients_cinder: ClientSettings = ClientSettings()
    clients_designate: ClientSettings = ClientSettings()
    clients_glance: ClientSettings = ClientSettings()
    clients_heat: ClientSettings = ClientSettings()
    clients_keystone: IdentityClientSettings = IdentityClientSettings()
    clients_magnum: ClientSettings = ClientSettings()
    clients_manila: ClientSettings = ClientSettings()
    clients_mistral: ClientSettings = ClientSettings()
    clients_neutron: ClientSettings = ClientSettings()
    clients_nova: ClientSettings = ClientSettings()
    clients_octavia: ClientSettings = ClientSettings()
    clients_swift: ClientSettings = ClientSettings()
    clients_trove: ClientSettings = ClientSettings()
    clients_zaqar: ClientSettings = ClientSettings()
    cors: CorsSettings = CorsSettings()
    database: DatabaseSettings = DatabaseSettings()
    healthcheck: HealthcheckSettings = HealthcheckSettings()
    heat_api: ListenSettings = ListenSettings()
    heat_api_cfn: ListenSettings = ListenSettings(bind_port=8000, workers=1)
    heat_trio: OwnSettings = OwnSettings()
    keystone_authtoken: TokenSettings = TokenSettings()
    oslo_messaging_notifications: NotificationSettings = NotificationSettings()
    oslo_messaging_rabbit: RabbitSettings = RabbitSettings()
    oslo_middleware: ProxySettings = ProxySettings()
    oslo_policy: PolicySettings = PolicySettings()
    paste_deploy: PasteSettings = PasteSettings()
    revision: RevisionSettings = RevisionSettings()
    trustee: Credentials = Credentials()
    yaql: YaqlSettings = YaqlSettings()

    config_files: tuple[str, ...] = field(default=(), metadata={"internal": True})

    @classmethod
    def load(cls, config_files: Sequence[str | Path]) -> Self:
        """Read the files, later ones over earlier ones.

        Raises ConfigurationProblem with the reason when a file is missing or a value is wrong.
        """
        from heat_app.config.loading import load

        return load(cls, config_files)
