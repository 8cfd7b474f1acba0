"""What the API tells about types: their list, their schemas, templates made from them.

Pure answers of the RPC methods list_resource_types, resource_schema and generate_template
(rules/o-listing.md, facts/resource-type-show, facts/generate-template.json). Policy and which
services exist are the caller's to know.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from heat_core.errors import Invalid, NotSupported, ResourceTypeUnavailable
from heat_core.isolation import TooCostly
from heat_core.properties import Attr, Dialect, Prop, SupportStatus, to_parameters
from heat_core.properties.patterns import matches_start
from heat_core.resources import registry
from heat_core.resources.contract import ResourceType
from heat_core.resources.reading import attribute_schemas


def description_of(resource_class: type[ResourceType]) -> str:
    """What the type is for, in a sentence or two."""
    text = vars(resource_class).get("__doc__")  # a base's text is about another type
    return inspect.cleandoc(text) if text else "No description available"


def resource_schema(
    type_name: str,
    *,
    with_description: bool = False,
    catalog_types: Collection[str] | None = None,
) -> dict[str, Any]:
    """The answer of resource_type_show.

    `catalog_types` are the services that the caller can use; None: do not check. Raises
    EntityNotFound, NotSupported for a hidden type, ResourceTypeUnavailable.
    """
    resource_class = _visible(type_name)
    if catalog_types is not None and resource_class.unavailable_reason(catalog_types) is not None:
        raise ResourceTypeUnavailable(
            service_name=resource_class.client_name,
            resource_type=type_name,
            reason="Service endpoint not in service catalog.",
        )
    answer: dict[str, Any] = {
        "resource_type": type_name,
        "properties": {
            name: prop.as_dict()
            for name, prop in _shown_properties(resource_class).items()
            if prop.implemented
        },
        "attributes": {
            name: attr.as_dict() for name, attr in _shown_attributes(resource_class).items()
        },
        "support_status": resource_class.support.as_dict(),
    }
    if with_description:
        answer["description"] = description_of(resource_class)
    return answer


def _visible(type_name: str) -> type[ResourceType]:
    resource_class = registry.find(type_name)
    if resource_class.support.hidden:
        raise NotSupported(feature=type_name)
    return resource_class


def _shown_properties(resource_class: type[ResourceType]) -> Mapping[str, Prop]:
    return {
        name: prop for name, prop in resource_class.properties.items() if not prop.support.hidden
    }


def _shown_attributes(resource_class: type[ResourceType]) -> Mapping[str, Attr]:
    return {
        name: attr
        for name, attr in attribute_schemas(resource_class).items()
        if not attr.support.hidden
    }


def generate_template(type_name: str, template_type: str = "cfn") -> dict[str, Any]:
    """A template of one resource of this type, its properties made parameters.

    Anything but "hot" gives a CFN template. Raises EntityNotFound, NotSupported for a hidden type,
    KeyError for a type with a property that no parameter type fits (rules: facts/README note 6).
    """
    resource_class = _visible(type_name)
    dialect = Dialect.HOT if template_type == "hot" else Dialect.CFN
    parameters, values = to_parameters(_shown_properties(resource_class), dialect)
    name = resource_class.__name__
    outputs = {
        key: _output(dialect, name, key, attr)
        for key, attr in _shown_attributes(resource_class).items()
    }
    description = f"Initial template of {name}"
    if dialect is Dialect.HOT:
        outputs["OS::stack_id"] = {"value": {"get_resource": name}}
        return {
            "heat_template_version": "2016-10-14",
            "description": description,
            "parameters": parameters,
            "outputs": outputs,
            "resources": {name: {"type": type_name, "properties": values}},
        }
    outputs["OS::stack_id"] = {"Value": {"Ref": name}}
    return {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Description": description,
        "Parameters": parameters,
        "Resources": {name: {"Type": type_name, "Properties": values}},
        "Outputs": outputs,
    }


def _output(dialect: Dialect, resource_name: str, key: str, attr: Attr) -> dict[str, Any]:
    if dialect is Dialect.HOT:
        return {"value": {"get_attr": [resource_name, key]}, "description": attr.description}
    return {"Value": {"Fn::GetAtt": [resource_name, key]}, "Description": attr.description}


def list_types(
    *,
    support_status: str | None = None,
    type_name: str | None = None,
    version: str | None = None,
    with_description: bool = False,
    catalog_types: Collection[str] | None = None,
    is_allowed: Callable[[str], bool] | None = None,
) -> list[Any]:
    """Names of types, or maps of name and description (rules/o-listing.md, resource types).

    `type_name` is a regular expression of the user's, matched at the start; a bad one gives no
    types. `is_allowed` is the policy. Raises Invalid for an unknown status and
    for a pattern that takes too long.
    """
    known = tuple(status.value for status in SupportStatus)
    if support_status is not None and support_status not in known:
        raise Invalid(reason=f"Invalid support status and should be one of {known!s}")
    listed = list(registry.names())
    if type_name is not None:
        try:
            begins = matches_start(type_name, listed)
        except (re.error, OverflowError):
            return []
        except TooCostly as error:
            raise Invalid(reason=str(error)) from None
        listed = [name for name, matches in zip(listed, begins, strict=True) if matches]
    found: list[Any] = []
    for name in listed:
        resource_class = registry.find(name)
        if not _is_listed(resource_class, support_status, version, catalog_types):
            continue
        if is_allowed is not None and not is_allowed(name):
            continue
        found.append(
            {"resource_type": name, "description": description_of(resource_class)}
            if with_description
            else name
        )
    return found


def _is_listed(
    resource_class: type[ResourceType],
    support_status: str | None,
    version: str | None,
    catalog_types: Collection[str] | None,
) -> bool:
    support = resource_class.support
    return (
        not support.hidden
        and (version is None or support.version == version)
        and (support_status is None or support.status == support_status)
        and (catalog_types is None or resource_class.unavailable_reason(catalog_types) is None)
    )
