"""Parameter groups: how a form might arrange the parameters (rules/c-parameters.md#27)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from heat_core.errors import StackValidationFailed


def validate_groups(groups: Any, names: Collection[str]) -> None:
    """Raise StackValidationFailed unless each group lists known parameters, each only once."""
    if not groups:
        return
    if not isinstance(groups, list):
        _refuse([], "The parameter_groups should be a list.")
    grouped: list[Any] = []
    known = list(names)  # members may be of any kind, unhashable ones too
    for group in groups:
        if not isinstance(group, Mapping):
            _refuse([], f"Each of the parameter_groups should be a map. Found {group!r} instead.")
        members = group.get("parameters")
        path = [group.get("label", "")]
        if members is None:
            _refuse(path, "The parameters must be provided for each parameter group.")
        if not isinstance(members, list):
            _refuse(path, "The parameters of parameter group should be a list.")
        for name in members:
            if name in grouped:
                _refuse(path, f"The {name} parameter must be assigned to one parameter group only.")
            grouped.append(name)
            if name not in known:
                _refuse(path, f"The grouped parameter {name} does not reference a valid parameter.")


def _refuse(path: list[Any], text: str) -> NoReturn:
    raise StackValidationFailed(
        error="Parameter Groups error", path=["parameter_groups", *path], message=text
    )
