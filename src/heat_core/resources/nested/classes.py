"""The class behind a resource's type: a built-in one, or one made of a template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heat_core.environment import Entry, EntryKind
from heat_core.resources import registry
from heat_core.resources.nested.template_resource import template_class

if TYPE_CHECKING:
    from heat_core.resources.contract import ResourceType
    from heat_core.template import Template


def class_of(template: Template, type_name: Any, resource_name: str | None) -> type[ResourceType]:
    """The class that a type leads to in a stack of this template.

    Raises StackValidationFailed when there is none, InvalidSchemaError and the like for a template
    that cannot be one.
    """
    return class_of_entry(
        template, template.environment.registry.find_for(type_name, resource_name)
    )


def class_of_entry(template: Template, entry: Entry) -> type[ResourceType]:
    """The class of a registry entry."""
    if entry.kind is EntryKind.TEMPLATE:
        return template_class(template, entry)
    return registry.find(entry.value)
