"""Drivers: run the core's machines and procedures under Trio."""

from heat_io.drivers.engine import Engine, StackOperations, Surroundings
from heat_io.drivers.ports import (
    Cloud,
    CredentialsSource,
    Liveness,
    NoCloud,
    NoStoredCredentials,
    OnlyEngine,
)

__all__ = [
    "Cloud",
    "CredentialsSource",
    "Engine",
    "Liveness",
    "NoCloud",
    "NoStoredCredentials",
    "OnlyEngine",
    "StackOperations",
    "Surroundings",
]
