"""The parameters of a stack: a mapping from name to the value that functions see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from heat_core.errors import UnknownUserParameter
from heat_core.parameters.parameter import Parameter
from heat_core.parameters.pseudo import pseudo_parameters
from heat_core.parameters.schema import ParameterSchema, read_schemata
from heat_core.properties.constraints import LOCAL_CHECKS, Checks

if TYPE_CHECKING:
    from heat_core.stack.identity import HeatIdentifier
    from heat_core.template.versions import TemplateVersion


class Parameters(Mapping[str, Any]):
    """Pseudo parameters first, then the template's, in its order.

    Reading a value raises UserParameterMissing when there is none, ValueError when it cannot be
    converted. A key that is no parameter raises KeyError.
    """

    __slots__ = ("_parameters", "_pseudo", "_user_values")

    def __init__(
        self,
        schemata: Mapping[str, ParameterSchema],
        pseudo: Mapping[str, ParameterSchema],
        values: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        values = values or {}
        defaults = defaults or {}
        self._user_values = values
        self._pseudo = frozenset(pseudo)
        self._parameters: dict[str, Parameter] = {
            name: Parameter(name, schema, user_default=defaults.get(name))
            for name, schema in pseudo.items()
        }
        for name, schema in schemata.items():
            self._parameters[name] = Parameter(name, schema, values.get(name), defaults.get(name))

    @classmethod
    def of(
        cls,
        version: TemplateVersion,
        section: Any,
        identity: HeatIdentifier | None,
        values: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> Parameters:
        """Read a template's section. InvalidSchemaError for a schema that is not right."""
        return cls(
            read_schemata(version, section),
            pseudo_parameters(version.dialect, identity),
            values,
            defaults,
        )

    def __getitem__(self, name: str) -> Any:
        return self._parameters[name].value()

    def __contains__(self, name: object) -> bool:
        return name in self._parameters

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def get_parameter(self, name: str) -> Parameter:
        """The parameter itself. KeyError when there is none of that name."""
        return self._parameters[name]

    def all(self) -> Iterable[Parameter]:
        """Every parameter, pseudo parameters first."""
        return self._parameters.values()

    def of_template(self) -> list[Parameter]:
        """The template's own parameters."""
        return [item for name, item in self._parameters.items() if name not in self._pseudo]

    def validate(self, *, check_values: bool = True, checks: Checks = LOCAL_CHECKS) -> None:
        """Raise for the first mistake, unknown names first (rules/c-parameters.md#9-11).

        UnknownUserParameter, UserParameterMissing, StackValidationFailed or InvalidSchemaError.
        """
        known = {parameter.name for parameter in self.of_template()}
        for name in self._user_values:
            if name not in known:
                raise UnknownUserParameter(key=name)
        for parameter in self._parameters.values():
            parameter.validate(check_values, checks)

    def shown(self) -> dict[str, str]:
        """Texts for stack show; parameters without a value are left out."""
        return {
            name: parameter.shown()
            for name, parameter in self._parameters.items()
            if parameter.has_value
        }

    def immutable_changed(self, new: Parameters, given: Mapping[str, Any]) -> list[str]:
        """Names of immutable parameters that an update would change.

        `new` are the parameters of the new template, whose immutable mark counts; `given` are the
        values of the request (rules/c-parameters.md#26).
        """
        changed = []
        for parameter in new.of_template():
            name = parameter.name
            if name not in self._parameters or name in self._pseudo:
                continue
            value = given[name] if name in given else parameter.value()
            if parameter.schema.immutable and self[name] != value:
                changed.append(name)
        return changed
