"""Environment files laid over each other, parameter by parameter (rules/b-environment.md#5-12)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from heat_core.environment.text import (
    MERGE_STRATEGIES,
    PARAMETER_DEFAULTS,
    PARAMETERS,
    parse_environment,
)
from heat_core.errors import ConflictingMergeStrategyForParam, InvalidMergeStrategyForParam
from heat_core.parameters import ParameterSchema
from heat_core.properties.kinds import Kind

OVERWRITE = "overwrite"
MERGE = "merge"
DEEP_MERGE = "deep_merge"
_STRATEGIES = (OVERWRITE, MERGE, DEEP_MERGE)


def merge_strategy(
    strategies: Mapping[str, Any] | None, parameter: str, earlier: Mapping[str, Any] | None = None
) -> Any:
    """How a parameter of a file is merged: the file's word, an earlier file's, the default's."""
    if strategies is None:
        return OVERWRITE
    default = strategies.get("default", OVERWRITE)
    strategy = strategies.get(parameter, (earlier or {}).get(parameter, default))
    return strategy if strategy in _STRATEGIES else default


def merge_environment_files(
    names: Sequence[str],
    files: Mapping[str, str],
    base: Mapping[str, Any],
    schemata: Mapping[str, ParameterSchema],
) -> dict[str, Any]:
    """The environment that the files named make of `base`, in their order.

    `schemata` are the parameters of the template and of the templates among its files. Raises
    KeyError for a file that isn't there, ValueError for one that is no environment,
    ConflictingMergeStrategyForParam, InvalidMergeStrategyForParam.
    """
    merged = {
        section: dict(content) if isinstance(content, dict) else content
        for section, content in base.items()
    }
    earlier: dict[str, Any] = {}
    for name in names:
        environment = parse_environment(files[name])
        strategies = environment.pop(MERGE_STRATEGIES, {})
        for section, content in environment.items():
            if not content:
                continue
            if section in (PARAMETERS, PARAMETER_DEFAULTS):
                merged[section] = _merge_parameters(
                    merged[section], content, schemata, strategies, earlier, name
                )
            else:
                merged[section] = _merge_maps(merged[section], content)
    return merged


def _merge_parameters(
    old: dict[str, Any],
    new: dict[str, Any],
    schemata: Mapping[str, ParameterSchema],
    strategies: Any,
    earlier: dict[str, Any],
    file_name: str,
) -> dict[str, Any]:
    known = {name: value for name, value in new.items() if name in schemata and value is not None}
    for name in known:
        strategy = merge_strategy(strategies, name, earlier)
        if earlier.setdefault(name, strategy) != strategy:
            raise ConflictingMergeStrategyForParam(
                strategy=strategy, param=name, env_file=file_name
            )
    if not old:
        return new
    for name, value in known.items():
        if earlier[name] in (MERGE, DEEP_MERGE):
            deep = earlier[name] == DEEP_MERGE
            try:
                old[name] = _merged(name, old, value, schemata[name], deep)
            except (AttributeError, TypeError) as error:
                raise ValueError(f"Invalid parameter in environment {error}.") from error
        else:
            old[name] = value
    return old


def _merged(
    name: str, old: Mapping[str, Any], value: Any, schema: ParameterSchema, deep: bool
) -> Any:
    value = _check(value, schema)
    match schema.kind:
        case Kind.MAP:
            return _merge_maps(old.get(name, {}), value, deep)
        case Kind.LIST:
            return _merge_lists(old.get(name), value)
        case Kind.STRING:
            return old.get(name, "") + value
        case Kind.NUMBER:
            return old.get(name, 0) + value
        case _:
            raise InvalidMergeStrategyForParam(strategy=MERGE, param=name)


def _check(value: Any, schema: ParameterSchema) -> Any:
    """JSON parameters become data; whatever else isn't text or a list is refused."""
    try:
        if schema.kind is Kind.MAP:
            text = value if isinstance(value, str) else json.dumps(value)
            return json.loads(text) if text else value
        if not isinstance(value, Sequence):
            raise ValueError
    except (ValueError, TypeError) as error:
        raise ValueError(f"Invalid parameter in environment {error}.") from None
    return value


def _merge_lists(old: Any, new: Any) -> Any:
    if not old:
        return new
    if isinstance(new, list):
        old.extend(new)
        return old
    return ",".join([old, new])


def _merge_maps(old: Any, new: Any, deep: bool = False) -> Any:
    """`new` laid over `old` in place; nulls change nothing. Without `old` it is `new` itself."""
    if not old:
        return new
    for key, value in new.items():
        if value is None:
            continue
        if not deep:
            old[key] = value
        elif isinstance(value, Mapping):
            old[key] = _merge_maps(old[key], value, deep) if old.get(key) else value
        elif isinstance(value, Sequence) and not isinstance(value, str):
            old[key] = _merge_lists(old[key], value) if old.get(key) else value
        elif isinstance(value, str):
            old[key] = "".join([old.get(key, ""), value])
        else:
            old[key] = value
    return old
