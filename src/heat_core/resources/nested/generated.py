"""Templates made for groups: members that are all alike, and outputs that collect from them.

Definitions are plain maps in HOT's spelling, rendered field by field in a fixed order, so that two
can be compared (vectors resolve_group.jsonl).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from heat_core.template import Template

HOT_VERSION: Final = ("heat_template_version", "2015-04-30")
CFN_VERSION: Final = ("HeatTemplateFormatVersion", "2012-12-12")

type Rendered = Mapping[str, Any]
"""one resource as HOT writes it"""
type NamedDefinitions = Sequence[tuple[str, Rendered]]

_CFN_KEYS: Final[Mapping[str, str]] = {
    "type": "Type",
    "properties": "Properties",
    "metadata": "Metadata",
    "depends_on": "DependsOn",
    "deletion_policy": "DeletionPolicy",
    "update_policy": "UpdatePolicy",
}


@dataclass(frozen=True, slots=True)
class Calls:
    """How outputs of a generated template read its members."""

    attribute: str = "get_attr"
    reference: str = "get_resource"

    def get_attr(self, *path: Any) -> dict[str, Any]:
        """A call that reads an attribute: (member, attribute, path...)."""
        return {self.attribute: list(path)}

    def get_resource(self, name: str) -> dict[str, Any]:
        """A call that reads a member's reference."""
        return {self.reference: name}


HOT_CALLS: Final = Calls()
CFN_CALLS: Final = Calls("Fn::GetAtt", "Ref")


def rendered(
    type_name: str,
    *,
    properties: Any = None,
    metadata: Any = None,
    depends_on: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A definition with what is given of its fields."""
    fields = {
        "type": type_name,
        "properties": properties,
        "metadata": metadata,
        "depends_on": None if depends_on is None else list(depends_on),
    }
    return {key: value for key, value in fields.items() if value is not None}


def hot_document(definitions: NamedDefinitions, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """A HOT template of these resources and outputs.

    A member may depend only on members before it: other names are taken out.
    """
    document: dict[str, Any] = dict([HOT_VERSION])
    for name, definition in definitions:
        resources = document.setdefault("resources", {})
        resource = dict(definition)
        if resource.get("depends_on"):
            resource["depends_on"] = [one for one in resource["depends_on"] if one in resources]
        resources[name] = resource
    for name, value in outputs.items():
        document.setdefault("outputs", {})[name] = {"value": value}
    return document


def cfn_document(definitions: NamedDefinitions, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The same as a CloudFormation template."""
    document: dict[str, Any] = dict([CFN_VERSION])
    for name, definition in definitions:
        resources = document.setdefault("Resources", {})
        resource = {_CFN_KEYS[key]: value for key, value in definition.items()}
        needed = [one for one in resource.pop("DependsOn", ()) if one in resources]
        if needed:
            resource["DependsOn"] = needed[0] if len(needed) == 1 else needed
        resources[name] = resource
    for name, value in outputs.items():
        document.setdefault("Outputs", {})[name] = {"Value": value}
    return document


def definitions_of(document: Mapping[str, Any]) -> dict[str, Rendered]:
    """The resources of a nested stack's template, each as HOT writes it."""
    from heat_core.stack.definition import StackDefinition

    definition = StackDefinition.build(Template(document))
    return {name: resource.as_hot() for name, resource in definition.resources.items()}


def _as_it_is(name: str, definition: Any) -> Any:
    return definition


def changed_members(
    old: Sequence[tuple[str, Rendered]],
    new_definition: Any,
    *,
    size: int,
    updates: int,
    new_name: Callable[[], str],
    customised: Callable[[str, Any], Rendered] = _as_it_is,
) -> Iterator[tuple[str, Rendered]]:
    """The members of a group's next template, `size` of them.

    `old` are the members there are, those first that are to be replaced or removed first. New
    ones are added at the end. As many as `updates` get the new definition, new members counted;
    `customised` makes it for one member.
    """
    kept = old[-size:]
    to_replace = updates - (size - len(kept))
    for index in range(size):
        if index >= len(kept):
            name = new_name()
            yield name, customised(name, new_definition)
            continue
        name, definition = kept[index]
        wanted = customised(name, new_definition)
        if definition != wanted and to_replace > 0:
            to_replace -= 1
            yield name, wanted
        else:
            yield name, definition


def output_name(path: Iterable[Any]) -> str:
    """The name of the output that gives an attribute and a path in it."""
    return ", ".join(str(part) for part in path)


def split_member_key(key: str) -> tuple[str, list[str]]:
    """The member, and the attribute if any, that "resource.<member>[.<attribute>]" names."""
    _, member, *rest = key.split(".", 2)
    return member, rest
