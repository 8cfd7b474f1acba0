"""Functions in a parsed template, and the walks over trees that hold them.

A parsed tree is plain data (dict, list, scalars) with Function objects in it. It is built once per
definition and never changed: a function keeps its parsed arguments and looks at nothing but what a
Resolution gives it, so one tree serves every node of a stack. The four walks mirror what a template
is asked for: its value (`resolve`), whether it makes sense (`validate`), which resources it needs
(`dependencies`) and which of their attributes (`attribute_references`).

Values are shared with the tree and with parameters: treat what `resolve` returns as read-only below
its first level, or copy it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from heat_core.errors import StackValidationFailed
from heat_core.properties import OMITTED

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution, Scope


ALL_ATTRIBUTES: Final = "*"
"""stands for every attribute of a resource in attribute references"""


class Function:
    """A call `{name: args}`. `args` are parsed already: inner functions are Function objects.

    No ABC: asking whether a value is a call, of every value of a tree, would take ten times longer.
    """

    __slots__ = ("args", "name")

    is_macro: ClassVar[bool] = False

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        self.name = name
        self.args = args

    def resolve(self, at: Resolution) -> Any:
        """The value of the call. Raises ValueError, TypeError or one of Heat's errors."""
        raise NotImplementedError

    def validate(self, at: Resolution) -> None:
        """Check the arguments as far as that goes without resolving them."""
        validate(self.args, at)

    def dependencies(self, at: Resolution, path: str) -> Iterator[str]:
        """Names of the resources that the call needs; `path` is for error texts."""
        return dependencies(self.args, at, f"{path}.{self.name}")

    def attribute_references(self, at: Resolution) -> Iterator[tuple[Any, Any]]:
        """Pairs (resource, attribute key) that the call reads."""
        return attribute_references(self.args, at)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {{{self.name}: {self.args!r}}}>"


_BRANCHES = (Function, dict, list)
"""what may have calls in it"""


class Macro(Function):
    """A call that decides how its own arguments are parsed; `parsed` stands in its place."""

    __slots__ = ("parsed",)

    is_macro = True
    parsed: Any

    def __repr__(self) -> str:
        return repr(self.parsed)

    def resolve(self, at: Resolution) -> Any:
        return resolve(self.parsed, at, nullable=True)

    def validate(self, at: Resolution) -> None:
        validate(self.parsed, at)

    def dependencies(self, at: Resolution, path: str) -> Iterator[str]:
        return dependencies(self.parsed, at, f"{path}.{self.name}")

    def attribute_references(self, at: Resolution) -> Iterator[tuple[Any, Any]]:
        return attribute_references(self.parsed, at)


def resolve(tree: Any, at: Resolution, nullable: bool = False) -> Any:
    """Plain data for a parsed tree; omitted members vanish, an omitted whole is None."""
    kind = type(tree)
    if kind is str:
        return tree
    if kind is dict:
        built = {}
        for key, value in tree.items():
            value_kind = type(value)
            if value_kind is not str:
                value = resolve(value, at, True)
                if value is OMITTED:
                    continue
            built[key] = value
        return built
    if kind is list:
        return [
            value
            for value in [resolve(member, at, True) for member in tree]
            if value is not OMITTED
        ]
    if isinstance(tree, Function):
        value = tree.resolve(at)
        return None if value is OMITTED and not nullable else value
    return tree


def validate(tree: Any, at: Resolution, path: list[Any] | None = None) -> None:
    """Check every function in the tree; StackValidationFailed carries the path of the first."""
    if isinstance(tree, Function):
        try:
            tree.validate(at)
        except AssertionError:
            raise
        except Exception as error:
            raise StackValidationFailed(
                path=[*(path or ()), tree.name], message=str(error)
            ) from error
    elif isinstance(tree, dict):
        base = path or []
        for key, value in tree.items():
            if type(value) is not str and isinstance(value, _BRANCHES):
                validate(value, at, [*base, key])
    elif isinstance(tree, list):
        outer = list(path or ())
        parent = outer.pop() if outer else ""
        for index, value in enumerate(tree):
            if type(value) is not str and isinstance(value, _BRANCHES):
                validate(value, at, [*outer, f"{parent}[{index}]"])


def dependencies(tree: Any, at: Resolution, path: str = "") -> Iterator[str]:
    """Names of the resources that the functions in the tree need, one a reference.

    Raises InvalidTemplateReference, with the place, for a resource that isn't there.
    """
    if isinstance(tree, Function):
        yield from tree.dependencies(at, path)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if type(value) is not str and isinstance(value, _BRANCHES):
                yield from dependencies(value, at, f"{path}.{key}")
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            if type(value) is not str and isinstance(value, _BRANCHES):
                yield from dependencies(value, at, f"{path}[{index}]")


def required_by(tree: Any, at: Resolution, path: str, found: set[str]) -> None:
    """Add the names that `dependencies` gives to `found`: the quicker way to have them all."""
    if isinstance(tree, Function):
        found.update(tree.dependencies(at, path))
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if type(value) is not str and isinstance(value, _BRANCHES):
                required_by(value, at, f"{path}.{key}", found)
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            if type(value) is not str and isinstance(value, _BRANCHES):
                required_by(value, at, f"{path}[{index}]", found)


def needs_resources(tree: Any, at: Resolution) -> bool:
    """Whether a value depends on a resource."""
    if isinstance(tree, Function):
        return any(True for _ in tree.dependencies(at, ""))
    if isinstance(tree, dict):
        tree = tree.values()
    elif not isinstance(tree, list):
        return False
    return any(type(value) is not str and needs_resources(value, at) for value in tree)


def attribute_references(tree: Any, at: Resolution) -> Iterator[tuple[Any, Any]]:
    """Pairs (resource, attribute key) read in the tree.

    A key is the attribute's name, a tuple (name, *path), or ALL_ATTRIBUTES.
    """
    if isinstance(tree, Function):
        yield from tree.attribute_references(at)
    elif isinstance(tree, dict):
        for value in tree.values():
            if type(value) is not str and isinstance(value, _BRANCHES):
                yield from attribute_references(value, at)
    elif isinstance(tree, list):
        for value in tree:
            if type(value) is not str and isinstance(value, _BRANCHES):
                yield from attribute_references(value, at)


def functions_in(tree: Any) -> Iterator[Function]:
    """Every call in the tree, outer before inner."""
    if isinstance(tree, Function):
        yield tree
        yield from functions_in(tree.parsed if isinstance(tree, Macro) else tree.args)
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from functions_in(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from functions_in(value)


def unparsed(tree: Any) -> Any:
    """The tree with calls turned back into `{name: args}` maps; a macro becomes what it chose."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, Macro):
        return unparsed(tree.parsed)
    if isinstance(tree, Function):
        return {tree.name: unparsed(tree.args)}
    if isinstance(tree, (dict, Mapping)):  # dict first: asking an ABC takes long
        return {key: unparsed(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [unparsed(value) for value in tree]
    return tree


def is_iterable_data(value: Any) -> bool:
    """Whether a loaded value counts as a list: everything iterable that isn't text or a map."""
    return isinstance(value, Iterable) and not isinstance(value, str | Mapping)


__all__ = [
    "ALL_ATTRIBUTES",
    "OMITTED",
    "Function",
    "Macro",
    "attribute_references",
    "dependencies",
    "functions_in",
    "is_iterable_data",
    "needs_resources",
    "required_by",
    "resolve",
    "unparsed",
    "validate",
]
