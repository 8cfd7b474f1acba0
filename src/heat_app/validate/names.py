"""Names that could have been meant: the nearest of those that there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from heat_core.environment.global_registry import DEFAULT_MAPPINGS
from heat_core.properties import BASE_ATTRIBUTES, Prop
from heat_core.resources import registry
from heat_core.resources.nested import class_of
from heat_core.stack import StackDefinition

_CLOSE = 0.6
MEMBER_PROPERTIES: Final = ("resource_def", "resource")
"""properties of groups that hold the definition of a member"""


def nearest(name: str, known: Iterable[Any], close: float = _CLOSE) -> str | None:
    """The name that is most like `name`, None when none is; `close` goes up to 1."""
    by_fold = {str(one).casefold(): str(one) for one in known if str(one) != name}
    found = difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=close)
    return by_fold[found[0]] if found else None


def type_names(definition: StackDefinition | None) -> Iterator[str]:
    """Every resource type, those that the environment adds among them."""
    yield from registry.names()
    yield from DEFAULT_MAPPINGS
    if definition is not None:
        yield from definition.template.environment.registry.as_dict()


def property_names(definition: StackDefinition | None, path: str) -> list[str]:
    """The properties that belong where an error's path leads: `resources.a.properties.b[0]`."""
    parts = path.replace("[", ".[").split(".")
    if definition is None or len(parts) < 3:
        return []
    with suppress(Exception):  # whatever else is wrong with the template, the error has been told
        name, parts = parts[1], parts[2:]
        resource_class = definition.resource_class(name)
        if len(parts) > 2 and parts[1] in MEMBER_PROPERTIES and parts[2] == "properties":
            member = definition.template.resources[name]["properties"][parts[1]]
            resource_class = class_of(definition.template, member["type"], None)
            parts = parts[2:]
        is_policy = parts[0].casefold() in ("update_policy", "updatepolicy")
        schema = resource_class.update_policy if is_policy else resource_class.properties
        return [str(name) for name in _below(schema, parts[1:])]
    return []


def _below(schema: Mapping[Any, Prop], parts: list[str]) -> Mapping[Any, Prop]:
    """The schemas that a path inside of properties leads to; none where it leads to no map."""
    here: Any = schema
    for part in parts:
        prop = here if isinstance(here, Prop) else here.get(part)
        here = prop.schema if isinstance(prop, Prop) else None
        if here is None:
            return {}
    if isinstance(here, Prop):
        here = here.schema
    return here if isinstance(here, Mapping) else {}


def attribute_names(definition: StackDefinition | None, resource: str) -> list[str]:
    """The attributes of a resource."""
    if definition is None:
        return []
    with suppress(Exception):
        return [*definition.resource_class(resource).attributes, *BASE_ATTRIBUTES]
    return []


def resource_names(definition: StackDefinition | None) -> list[str]:
    """The resources of the template."""
    if definition is None:
        return []
    with suppress(Exception):
        return [str(name) for name in definition.template.resources]
    return []


def parameter_names(definition: StackDefinition | None) -> list[str]:
    """The parameters of the template, pseudo parameters last."""
    if definition is None:
        return []
    own = [one.name for one in definition.parameters.of_template()]
    return [*own, *(name for name in definition.parameters if name not in own)]


def condition_names(definition: StackDefinition | None) -> list[str]:
    """The conditions of the template."""
    conditions = None if definition is None else definition.template.conditions
    return [str(name) for name in conditions] if isinstance(conditions, Mapping) else []
