"""Drivers: run the core's machines and procedures under Trio."""

from heat_io.drivers.engine import Engine, StackOperations, Surroundings
from heat_io.drivers.ports import Cloud, CredentialsSource, Liveness, NoCloud, OnlyEngine

__all__ = [
    "Cloud",
    "CredentialsSource",
    "Engine",
    "Liveness",
    "NoCloud",
    "OnlyEngine",
    "StackOperations",
    "Surroundings",
]
