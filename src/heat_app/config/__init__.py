"""heat.conf: what may stand in it, what of it has an effect, and its values as frozen objects."""

from heat_app.config.identity_sections import (
    ClientSettings,
    Credentials,
    IdentityClientSettings,
    TokenSettings,
)
from heat_app.config.loading import Configuration, read_command_line
from heat_app.config.problem import ConfigurationProblem
from heat_app.config.server_sections import (
    CorsSettings,
    DatabaseSettings,
    HealthcheckSettings,
    ListenSettings,
    OwnSettings,
    PasteSettings,
    PolicySettings,
    ProxySettings,
    RabbitSettings,
    RevisionSettings,
    YaqlSettings,
)
from heat_app.config.settings import Settings

__all__ = [
    "ClientSettings",
    "Configuration",
    "ConfigurationProblem",
    "CorsSettings",
    "Credentials",
    "DatabaseSettings",
    "HealthcheckSettings",
    "IdentityClientSettings",
    "ListenSettings",
    "OwnSettings",
    "PasteSettings",
    "PolicySettings",
    "ProxySettings",
    "RabbitSettings",
    "RevisionSettings",
    "Settings",
    "TokenSettings",
    "YaqlSettings",
    "read_command_line",
]
