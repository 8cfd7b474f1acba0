"""Whether a template may stand for a type that exists (rules/b-environment.md#25)."""

from __future__ import annotations

from heat_core.errors import StackValidationFailed
from heat_core.properties import BASE_ATTRIBUTES, Kind, Prop
from heat_core.resources.contract import ResourceType


def check_facade(type_name: str, provider: type[ResourceType], facade: type[ResourceType]) -> None:
    """Raise StackValidationFailed for the first way in which `provider` differs from `facade`.

    Properties that the facade must have, their kinds, what the provider must have, attributes.
    """
    for name, wanted in facade.properties.items():
        given = provider.properties.get(name)
        if given is None:
            if wanted.required:
                _refuse(f"Required property {name} for facade {type_name} missing in provider")
        elif _kind_of_parameter(wanted) is not given.kind:
            _refuse(
                f"Property {name} type mismatch between facade {type_name} "
                f"({wanted.kind.value}) and provider ({given.kind.value})"
            )
    for name, given in provider.properties.items():
        if given.required and name not in facade.properties:
            _refuse(f"Provider requires property {name} unknown in facade {type_name}")
    for name in {**facade.attributes, **BASE_ATTRIBUTES}:
        if name not in provider.attributes and name not in BASE_ATTRIBUTES:
            _refuse(f"Attribute {name} for facade {type_name} missing in provider")


def _kind_of_parameter(prop: Prop) -> Kind:
    """The kind that the parameter for this property has; KeyError when no parameter can do."""
    if prop.kind is Kind.ANY:
        raise KeyError(prop.kind.value)
    return Kind.NUMBER if prop.kind is Kind.INTEGER else prop.kind


def _refuse(text: str) -> None:
    raise StackValidationFailed(message=text)
