"""Maps: map_merge, map_replace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution


class MapMerge(Function):
    """One map of several, later ones win; null counts as an empty map."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        args = resolve(self.args, at)
        if not isinstance(args, Sequence):
            example = f'"{self.name}" : [ {{ "key1": "val1" }}, {{ "key2": "val2" }} ]'
            raise TypeError(f'Incorrect arguments to "{self.name}" should be: {example}')
        merged: dict[Any, Any] = {}
        for member in args:
            if member is None:
                continue
            if not isinstance(member, Mapping):
                raise TypeError(
                    "Incorrect arguments: Items to merge must be maps. "
                    f"{repr(member)[:200]} is type {type(member)} instead of a dict"
                )
            merged.update(member)
        return merged


class MapReplace(Function):
    """`[map, {keys: {old: new}, values: {old: new}}]`: a map with keys and values exchanged."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        args = resolve(self.args, at)
        if isinstance(args, Mapping):
            raise KeyError(0)
        if not isinstance(args, list) or not args:
            raise TypeError(self._usage())
        source = self._map(args[0])
        if len(args) < 2:
            raise TypeError(self._usage())
        replacements = self._map(args[1])
        if len(args) > 2:
            raise TypeError(self._usage())
        if any(key not in ("keys", "values") for key in replacements):
            raise ValueError(self._usage())
        new_keys = self._map(replacements.get("keys", {}))
        new_values = self._map(replacements.get("values", {}))
        result: dict[Any, Any] = {}
        for old_key, old_value in source.items():
            key = new_keys.get(old_key)
            if key is None:
                key = old_key
            elif key in source and key != old_key:
                raise ValueError(f"key replacement {key} collides with a key in the input map")
            elif key in result:
                raise ValueError(f"key replacement {key} collides with a key in the output map")
            try:
                result[key] = new_values.get(old_value, old_value)
            except TypeError:  # a map or a list is never a key of the replacements
                result[key] = old_value
        return result

    def _example(self) -> str:
        return (
            f'"{self.name}" : [ {{ "key1": "val1" }}, '
            '{"keys": {"key1": "key2"}, "values": {"val1": "val2"}}]'
        )

    def _usage(self) -> str:
        return f'Incorrect arguments to "{self.name}" should be: {self._example()}'

    def _map(self, value: Any) -> Mapping[Any, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise TypeError(
                f'Incorrect arguments: to "{self.name}", arguments must be a list of maps. '
                f"Example:  {self._example()}"
            )
        return value
