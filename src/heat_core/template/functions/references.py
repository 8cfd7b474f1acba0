"""get_param, get_resource and the generations of get_attr."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from heat_core.errors import InvalidTemplateAttribute, UserParameterMissing
from heat_core.template.function import (
    ALL_ATTRIBUTES,
    Function,
    attribute_references,
    dependencies,
    resolve,
)

if TYPE_CHECKING:
    from heat_core.template.scope import NodeView, Resolution, Scope

# Spelled out: heat_core.stack is built on this package.
_READABLE_ACTIONS = frozenset(
    {"CREATE", "ADOPT", "SUSPEND", "RESUME", "UPDATE", "ROLLBACK", "SNAPSHOT", "CHECK"}
)
_ALL_READABLE_ACTIONS = _READABLE_ACTIONS - {"ROLLBACK"}
_ALL_READABLE_STATUSES = frozenset({"IN_PROGRESS", "COMPLETE"})


class GetParam(Function):
    """`get_param: name` or `[name, path...]`; a path that leads nowhere gives "" ."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        args = resolve(self.args, at)
        path: Sequence[Any]
        if not args:
            raise ValueError(f'Function "{self.name}" must have arguments')
        if isinstance(args, str):
            parameter, path = args, []
        elif isinstance(args, Sequence):
            parameter, path = args[0], args[1:]
        else:
            raise TypeError(f'Argument to "{self.name}" must be string or list')
        if not isinstance(parameter, str):
            raise TypeError(f'Parameter name in "{self.name}" must be string')
        if parameter not in at.scope.parameters:
            raise UserParameterMissing(key=parameter)
        value = at.scope.parameters[parameter]
        for component in path:
            found = _step(value, component)
            if found is _NOWHERE:
                return ""
            value = found
        return value


_NOWHERE = object()


def _step(collection: Any, key: Any) -> Any:
    """One step of a parameter path: digits index lists; what can't be followed is _NOWHERE."""
    if not isinstance(key, str | int):
        return _NOWHERE
    try:
        if isinstance(collection, Sequence):
            return collection[int(key) if isinstance(key, str) else key]
        if isinstance(collection, Mapping):
            return collection[key]
    except (KeyError, IndexError, ValueError):
        pass
    return _NOWHERE


def select_path(value: Any, path: Sequence[Any]) -> Any:
    """Follow an attribute path; None when it leads nowhere (rules/d-properties.md#36).

    Unlike a parameter's path, text does not index lists here.
    """
    for key in path:
        if not isinstance(value, Mapping | Sequence) or not isinstance(key, str | int):
            return None
        container: Any = value
        try:
            value = container[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


class GetResource(Function):
    """`get_resource: name` gives the resource's reference id, its name while nothing is known."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        name = at.require(resolve(self.args, at))
        node = at.nodes.get(name)
        return name if node is None else node.reference_id

    def dependencies(self, at: Resolution, path: str) -> Iterator[str]:
        name = at.require(resolve(self.args, at), path)
        yield from super().dependencies(at, path)
        yield name


class GetAttThenSelect(Function):
    """The first get_attr: the whole attribute is read, then a path is followed in its value."""

    __slots__ = ("attribute", "path_components", "resource")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        self.resource, self.attribute, self.path_components = self._read_args()

    def _read_args(self) -> tuple[Any, Any, Any]:
        if not isinstance(self.args, Sequence) or isinstance(self.args, str):
            raise TypeError(f'Argument to "{self.name}" must be a list')
        if len(self.args) < 2:
            raise ValueError(
                f'Arguments to "{self.name}" must be of the form '
                "[resource_name, attribute, (path), ...]"
            )
        return self.args[0], self.args[1], self.args[2:]

    def resolve(self, at: Resolution) -> Any:
        attribute = resolve(self.attribute, at)
        node = self._node(at)
        value = None if node is None else self._read(node, attribute, at)
        if value is None:
            return None
        return select_path(value, resolve(self.path_components, at))

    def _node(self, at: Resolution) -> NodeView | None:
        """The resource's state if attributes can be read in it."""
        node = at.node(resolve(self.resource, at))
        return node if node is not None and node.action in _READABLE_ACTIONS else None

    def _read(self, node: NodeView, key: Any, at: Resolution) -> Any:
        try:
            value = node.attributes[key]
        except KeyError:
            raise InvalidTemplateAttribute(resource=resolve(self.resource, at), key=key) from None
        if isinstance(value, Exception):
            raise value
        return value

    def validate(self, at: Resolution) -> None:
        super().validate(at)
        name = at.require(resolve(self.resource, at))
        if self.attribute is None and self._name_is_optional():
            return
        attribute = resolve(self.attribute, at)
        if attribute not in at.attribute_names(name):
            raise InvalidTemplateAttribute(resource=self.resource, key=attribute)

    def _name_is_optional(self) -> bool:
        return False

    def dependencies(self, at: Resolution, path: str) -> Iterator[str]:
        name = at.require(resolve(self.resource, at), path)
        yield from dependencies(self.args, at, f"{path}.{self.name}")
        yield name

    def attribute_references(self, at: Resolution) -> Iterator[tuple[Any, Any]]:
        yield from attribute_references(self.args, at)
        try:
            reference = resolve(self.resource, at), self._attribute_key(at)
        except Exception:  # an argument that can't be known yet references nothing
            return
        yield reference

    def _attribute_key(self, at: Resolution) -> Any:
        return resolve(self.attribute, at)


class GetAtt(GetAttThenSelect):
    """From 2014-10-16: the path is part of what is asked of the resource."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        key = self._attribute_key(at)
        node = self._node(at)
        return None if node is None else self._read(node, key, at)

    def _attribute_key(self, at: Resolution) -> Any:
        path = resolve(self.path_components, at)
        attribute = resolve(self.attribute, at)
        return (attribute, *path) if path else attribute


class GetAttAllAttributes(GetAtt):
    """From 2015-10-15: without an attribute it gives a map of them all, `show` left out."""

    __slots__ = ()

    def _read_args(self) -> tuple[Any, Any, Any]:
        if not self.args:
            raise ValueError(
                f'Arguments to "{self.name}" can be of the next forms: [resource_name] or '
                "[resource_name, attribute, (path), ...]"
            )
        if not isinstance(self.args, Sequence):
            raise TypeError(f'Argument to "{self.name}" must be a list')
        if len(self.args) > 1:
            return super()._read_args()
        return self.args[0], None, []

    def _name_is_optional(self) -> bool:
        return True

    def resolve(self, at: Resolution) -> Any:
        if self.attribute is not None:
            return super().resolve(at)
        node = at.node(resolve(self.resource, at))
        if (
            node is None
            or node.action not in _ALL_READABLE_ACTIONS
            or node.status not in _ALL_READABLE_STATUSES
        ):
            return None
        values = {key: value for key, value in node.attributes.items() if isinstance(key, str)}
        for value in values.values():
            if isinstance(value, Exception):
                raise value
        return {key: value for key, value in values.items() if key != "show"}

    def _attribute_key(self, at: Resolution) -> Any:
        if self.attribute is None:
            return ALL_ATTRIBUTES
        return super()._attribute_key(at)


__all__ = [
    "GetAtt",
    "GetAttAllAttributes",
    "GetAttThenSelect",
    "GetParam",
    "GetResource",
    "select_path",
]
