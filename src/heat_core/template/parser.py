"""Plain data -> parsed tree (rules/a-template-versions.md#29)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from heat_core.errors import StackValidationFailed
from heat_core.template.function import Function

if TYPE_CHECKING:
    from heat_core.template.scope import Scope

FunctionMaker = Callable[..., Function]
FunctionTable = Mapping[Any, FunctionMaker]

# A path is kept as a linked list while parsing: text is only made for an error.
Path = tuple[Any, str] | None


def root(path: str) -> Path:
    """A path that begins with `path`."""
    return (None, path)


def path_text(path: Path) -> str:
    """Dotted text of a path; list indexes are `[i]` without a dot."""
    parts: list[str] = []
    while path is not None:
        path, part = path
        parts.append(part)
    return "".join(reversed(parts))


_SCALARS = frozenset({str, int, bool, float, type(None)})


def parse(table: FunctionTable, scope: Scope, tree: Any, path: Path = None) -> Any:
    """The tree with every call of a function of `table` made a Function.

    Raises StackValidationFailed with the call's path for arguments that cannot be right.
    """
    kind = type(tree)
    if kind in _SCALARS:
        return tree
    if kind is dict or (kind is not list and isinstance(tree, Mapping)):
        if len(tree) == 1:
            ((name, args),) = tree.items()
            maker = table.get(name)
            if maker is not None:
                return _call(table, scope, maker, name, args, (path, f".{name}"))
        return {
            key: value if type(value) in _SCALARS else parse(table, scope, value, (path, f".{key}"))
            for key, value in tree.items()
        }
    if kind is list or isinstance(tree, Iterable):
        return [
            value if type(value) in _SCALARS else parse(table, scope, value, (path, f"[{index}]"))
            for index, value in enumerate(tree)
        ]
    return tree


def _call(
    table: FunctionTable,
    scope: Scope,
    maker: FunctionMaker,
    name: str,
    args: Any,
    path: Path,
) -> Function:
    try:
        if getattr(maker, "is_macro", False):
            return maker(scope, name, args, lambda inner: parse(table, scope, inner, path), path)
        return maker(scope, name, parse(table, scope, args, path))
    except KeyError as error:
        # The text of a KeyError is its argument's repr.
        raise StackValidationFailed(path=[path_text(path)], message=str(error)) from error
    except (ValueError, TypeError) as error:
        raise StackValidationFailed(path=[path_text(path)], message=str(error)) from error
