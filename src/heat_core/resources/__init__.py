"""Resource types: the contract, the registry, one package a service."""

from heat_core.resources.contract import Change, ResourceType, ResourceView

__all__ = ["Change", "ResourceType", "ResourceView"]
