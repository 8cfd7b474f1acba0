"""The properties of one resource: what the user gave, seen through the type's schema.

A Properties object is a mapping from every property of the schema to its value: resolved,
translated, defaulted and coerced. Sources: rules/d-properties.md#12-31, vectors properties.jsonl.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, Self

from heat_core.errors import StackValidationFailed
from heat_core.properties.answers import Answers
from heat_core.properties.coercion import coerce_scalar, convert_list, convert_map
from heat_core.properties.kinds import Kind
from heat_core.properties.schema import Prop
from heat_core.properties.translation import Translation


class _Omitted:
    __slots__ = ()

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Final = _Omitted()
"""what a resolver gives for a value that counts as not given at all"""

type Resolver = Callable[[Any], Any]
type Pending = Callable[[Any], bool]


def _as_it_is(tree: Any) -> Any:
    return tree


def _never(tree: Any) -> bool:
    return False


class Properties(Mapping[str, Any]):
    """Values by property name, in schema order.

    `data` may hold unresolved functions: `resolve` turns one member into plain data, or OMITTED for
    a value that counts as absent; `pending` says that a member depends on a resource not created
    yet, whose value is then not checked (rules/d-properties.md#16). `section` starts the path of
    errors. `description` is the resource's own, for a property of that name (rules/d#17).

    Reading a property raises ValueError with the user's text when its value cannot be had.
    """

    __slots__ = (
        "_answers",
        "_data",
        "_description",
        "_path",
        "_pending",
        "_resolve",
        "_schema",
        "_section",
        "translation",
    )

    def __init__(
        self,
        schema: Mapping[Any, Prop],
        data: Mapping[Any, Any],
        *,
        resolve: Resolver = _as_it_is,
        pending: Pending = _never,
        answers: Answers | None = None,
        section: str | None = None,
        description: str | None = None,
        path: str = "",
        translation: Translation | None = None,
    ) -> None:
        self._schema = schema
        self._data = data
        self._resolve = resolve
        self._pending = pending
        self._answers = answers if answers is not None else Answers(offline=True)
        self._section = section
        self._description = description or None
        self._path = path
        self.translation = translation or Translation(self, self._answers)

    def with_schema(self, changes: Mapping[str, Prop]) -> Self:
        """The same data and translation under a schema with some properties replaced."""
        other = type(self)(
            {**self._schema, **changes},
            self._data,
            resolve=self._resolve,
            pending=self._pending,
            answers=self._answers,
            section=self._section,
            description=self._description,
            path=self._path,
        )
        other.translation = self.translation
        return other

    # --- what a mapping is -----------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        return self.read(key)

    def __contains__(self, key: object) -> bool:
        return key in self._schema

    def __iter__(self) -> Iterator[Any]:
        return iter(self._schema)

    def __len__(self) -> int:
        return len(self._schema)

    @property
    def schema(self) -> Mapping[Any, Prop]:
        return self._schema

    @property
    def data(self) -> Mapping[Any, Any]:
        """What the user gave: unresolved, untranslated, not coerced."""
        return self._data

    def values_by_name(self) -> dict[Any, Any]:
        """Every property's value. ValueError or StackValidationFailed for the first bad one."""
        absent = self._absent()
        return {key: None if key in absent else self.read(key) for key in self._schema}

    # --- reading ---------------------------------------------------------------------------

    def user_value(self, key: Any) -> Any:
        """The value as the user gave it, coerced, or None: no default takes its place."""
        if key not in self._schema:
            raise KeyError(f"Invalid Property {key}")
        value, _ = self._user_value(key, self._schema[key], validate=False)
        return value

    def read(self, key: Any, *, validate: bool = False) -> Any:
        """The value of one property; with `validate` its constraints are checked too."""
        if key not in self._schema:
            raise KeyError(f"Invalid Property {key}")
        prop = self._schema[key]
        if key in self._data:
            value, found = self._user_value(key, prop, validate=validate)
            if found:
                return value
        if self.translation.touches(self._path) and self.translation.covers(self._path_of(key)):
            path = self._path_of(key)
            value = self.translation.translate(path, data=self._data, validate=validate)
            if value is not None or prop.has_default:
                return self._coerce(prop, value, path, validate=False, translate=False)
        if prop.has_default:
            return self._coerce(prop, None, self._path_of(key), validate=validate)
        if prop.required:
            raise ValueError(f"Property {key} not assigned")
        if key == "description" and prop.update_allowed:
            return self._description
        return None

    def _absent(self) -> Collection[Any]:
        """The properties that are not given and that nothing takes the place of: most are."""
        data, schema, translation = self._data, self._schema, self.translation
        if len(data) == len(schema) and data.keys() == schema.keys():
            return ()
        absent = _optional(schema).difference(data)
        if absent and translation.touches(self._path):
            absent -= translation.covered_in(self._path)
        return absent

    def _path_of(self, key: Any) -> str:
        return f"{self._path}.{key}" if self._path else str(key)

    def _user_value(self, key: Any, prop: Prop, *, validate: bool) -> tuple[Any, bool]:
        """(value, given): a value omitted by a function, or withdrawn by a rule, is not given."""
        if key not in self._data:
            return None, False
        path = self._path_of(key)
        is_touched = self.translation.touches(self._path)
        if is_touched and self.translation.withdrawn(path):
            return None, False
        try:
            tree = self._data[key]
            if validate and self._pending(tree):
                validate = False
            value = self._resolve(tree)
            if value is OMITTED:
                return None, False
            if is_touched and self.translation.covers(path):
                value = self.translation.translate(path, value, self._data)
            return self._coerce(prop, value, path, validate=validate), True
        except StackValidationFailed as error:
            raise StackValidationFailed(path=error.path, message=error.error_message) from error
        except Exception as error:
            # A resolver and a finder may raise anything; to users it is the value that is bad.
            raise ValueError(str(error)) from error

    # --- coercion --------------------------------------------------------------------------

    def _coerce(
        self, prop: Prop, value: Any, path: str, *, validate: bool, translate: bool = True
    ) -> Any:
        """The value in the property's kind (rules/d-properties.md#18-26)."""
        coerced: Any
        if prop.kind is Kind.MAP:
            coerced = convert_map(prop, value)
            if isinstance(coerced, (dict, Mapping)):
                coerced = self._children(prop, coerced, path, validate, translate)
        elif prop.kind is Kind.LIST:
            items = convert_list(prop, value)
            by_index = self._children(prop, dict(enumerate(items)), path, validate, translate)
            coerced = [by_index[index] for index in range(len(items))]
        else:
            coerced = coerce_scalar(prop, value)
        if validate and prop.constraints.items:
            prop.check_constraints(coerced, self._answers.checks())
        return coerced

    def _children(
        self, prop: Prop, data: Mapping[Any, Any], path: str, validate: bool, translate: bool
    ) -> dict[Any, Any]:
        if prop.schema is None:
            return dict(data)
        schema: Mapping[Any, Prop]
        if isinstance(prop.schema, Prop):
            schema = dict.fromkeys(data, prop.schema)
        elif prop.kind is Kind.LIST:
            schema = {index: prop.schema[index] for index in data}
        else:
            schema = prop.schema
        nested = Properties(
            schema,
            data,
            answers=self._answers,
            path=path,
            translation=self.translation if translate else None,
        )
        return nested._validated_values() if validate else nested.values_by_name()

    # --- validation ------------------------------------------------------------------------

    def validate(self, *, with_values: bool = True) -> None:
        """Raise StackValidationFailed for the first mistake, in the order of rules/d#12-14.

        Without `with_values` only names are checked: unknown ones and unimplemented ones.
        """
        self._validate(with_values, {})

    def _validated_values(self) -> dict[Any, Any]:
        values: dict[Any, Any] = {}
        self._validate(True, values)
        for key in self._schema:
            if key not in values:
                values[key] = self.read(key)
        return {key: values[key] for key in self._schema}

    def _validate(self, with_values: bool, values: dict[Any, Any]) -> None:
        try:
            for key in self._data:
                if key not in self._schema:
                    raise StackValidationFailed(message=f"Unknown Property {key}")
            is_touched = self.translation.touches(self._path)
            absent = self._absent()
            for key, prop in self._schema.items():
                if key in absent:
                    values[key] = None
                    continue
                if is_touched and self.translation.withdrawn(self._path_of(key)):
                    continue
                if with_values:
                    values[key] = self._valid_value(key, prop)
                if not prop.implemented and key in self._data:
                    raise StackValidationFailed(message=f"Property {key} not implemented yet")
        except StackValidationFailed as error:
            section = [] if self._section is None else [self._section]
            raise StackValidationFailed(
                error=error.error or "Property error",
                path=[*section, *error.path],
                message=error.error_message,
            ) from error

    def _valid_value(self, key: Any, prop: Prop) -> Any:
        try:
            return self.read(key, validate=True)
        except StackValidationFailed as error:
            raise StackValidationFailed(
                path=[key, *error.path], message=error.error_message
            ) from error
        except ValueError as error:
            path = [] if prop.required and key not in self._data else [key]
            raise StackValidationFailed(path=path, message=str(error)) from error


_OPTIONAL: dict[int, tuple[Mapping[Any, Prop], frozenset[Any]]] = {}
"""what _optional has found, by the id of the schema, which is kept alive here"""
_OPTIONAL_LIMIT = 4096


def _optional(schema: Mapping[Any, Prop]) -> frozenset[Any]:
    """The properties of a schema that have no value when they are not given.

    A resource's own description may take the place of a property of that name. A schema doesn't
    change once it is used, so each is looked through once.
    """
    known = _OPTIONAL.get(id(schema))
    if known is None:
        names = frozenset(
            key for key, prop in schema.items() if prop.default is None and not prop.required
        )
        if len(_OPTIONAL) >= _OPTIONAL_LIMIT:
            _OPTIONAL.clear()
        known = _OPTIONAL[id(schema)] = schema, names - {"description"}
    return known[1]


def changed_names(before: Properties, after: Properties) -> frozenset[str]:
    """Properties whose value differs; an old value that cannot be read counts as changed.

    A new value that cannot be read raises. Source: rules/h-updates.md#14.
    """
    return frozenset(key for key in after if _changed(key, before, after))


def _changed(key: str, before: Properties, after: Properties) -> bool:
    try:
        old = before.get(key)
    except (TypeError, ValueError):
        return True
    return bool(old != after.get(key))
