"""Reading attributes of a resource (rules/d-properties.md#35-39)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from heat_core.errors import EntityNotFound, InvalidTemplateAttribute
from heat_core.procedure import ProcedureIO, ServiceError
from heat_core.properties import BASE_ATTRIBUTES, SHOW, Attr, CacheMode, select_from_attribute
from heat_core.resources.contract import ResourceType


def attribute_schemas(resource_class: type[ResourceType]) -> Mapping[str, Attr]:
    """The attributes of a type, those of every type among them."""
    return {**resource_class.attributes, **BASE_ATTRIBUTES}


def has_attribute(resource_class: type[ResourceType], name: str) -> bool:
    """Whether a template may read this attribute."""
    return (
        resource_class.accepts_anything
        or resource_class.has_open_attributes
        or name in resource_class.attributes
        or name in BASE_ATTRIBUTES
    )


def may_cache(resource_class: type[ResourceType], name: str) -> bool:
    """Whether a value may be kept in attr_data; a null never is (rules/d-properties.md#38)."""
    schema = attribute_schemas(resource_class).get(name)
    return schema is None or schema.cache is CacheMode.LOCAL


async def read_attribute(io: ProcedureIO, resource: ResourceType, name: str) -> Any:
    """The live value of one attribute; None when the service does not know the object.

    InvalidTemplateAttribute for an attribute that the type does not have.
    """
    if resource.accepts_anything:
        return None
    if not has_attribute(type(resource), name):
        raise InvalidTemplateAttribute(resource=resource.view.name, key=name)
    try:
        if name in resource.attributes or (resource.has_open_attributes and name != SHOW):
            return await resource.attribute(io, name)
        return None if resource.view.physical_id is None else await resource.show(io)
    except EntityNotFound:
        return None
    except ServiceError as error:
        if error.not_found:
            return None
        raise


async def read_attribute_key(
    io: ProcedureIO, resource: ResourceType, key: str | tuple[Any, ...]
) -> Any:
    """The value behind a key of NodeData: an attribute, or what a path inside it leads to."""
    name, *path = (key,) if isinstance(key, str) else key
    return select_from_attribute(await read_attribute(io, resource, name), path)


async def read_shown_attributes(
    io: ProcedureIO, resource: ResourceType, wanted: Collection[str] = ()
) -> dict[str, Any]:
    """What resource show gives as attributes: the object as its service tells, else each attribute.

    `wanted` are named by the caller and are there in any case. A value that cannot be read is
    null. Source: rules/d-properties.md#39.
    """
    shown = await _read_or_none(io, resource, SHOW)
    if isinstance(shown, Mapping):
        values = dict(shown)
        names: Collection[str] = [name for name in wanted if name not in values]
    else:
        values = {}
        names = [
            *resource.attributes,
            *(name for name in wanted if name not in resource.attributes),
        ]
    for name in names:
        values[name] = await _read_or_none(io, resource, name)
    return values


async def _read_or_none(io: ProcedureIO, resource: ResourceType, name: str) -> Any:
    try:
        return await read_attribute(io, resource, name)
    except Exception:  # one unreadable attribute must not hide the others
        return None
