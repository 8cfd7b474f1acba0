"""All types by name: an explicit table, each type's module loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from heat_core.errors import EntityNotFound
from heat_core.resources.contract import ResourceType

_TYPES: Mapping[str, str] = {
    "OS::Heat::Delay": "heat.delay:Delay",
    "OS::Heat::None": "heat.none_resource:NoneResource",
    "OS::Heat::RandomString": "heat.random_string:RandomString",
    "OS::Heat::TestResource": "heat.test_resource:TestResource",
    "OS::Heat::Value": "heat.value:Value",
    "OS::Keystone::Project": "keystone.project:KeystoneProject",
}
"""type name -> module below heat_core.resources and class"""


def names() -> tuple[str, ...]:
    """The names of all types, hidden ones too, in the order of the type list."""
    return tuple(_TYPES)


def is_known(type_name: str) -> bool:
    """Whether there is such a type."""
    return type_name in _TYPES


@cache
def find(type_name: str) -> type[ResourceType]:
    """The class of a type. EntityNotFound("Resource Type") for an unknown name."""
    try:
        module, _, class_name = _TYPES[type_name].partition(":")
    except KeyError:
        raise EntityNotFound(entity="Resource Type", name=type_name) from None
    found = getattr(import_module(f"heat_core.resources.{module}"), class_name)
    if not (isinstance(found, type) and issubclass(found, ResourceType)):
        raise AssertionError(f"the registry names {found!r} as the class of {type_name}")
    return found
