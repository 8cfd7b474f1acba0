"""Text: str_replace and its stricter forms, the joins, str_split."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution, Scope


def to_json(value: Any) -> str:
    """The JSON text that functions make of maps and lists; TypeError for what JSON cannot say."""
    return json.dumps(value, sort_keys=True)


class Replace(Function):
    """`{template, params}`: longer placeholders first, then smaller ones, never inside a value."""

    __slots__ = ("mapping", "template")

    strict: ClassVar[bool] = False
    allow_empty: ClassVar[bool] = True

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        self.mapping, self.template = self._read_args()
        if not isinstance(self.mapping, Mapping | Function):
            raise TypeError(f'"{name}" parameters must be a mapping')

    def _read_args(self) -> tuple[Any, Any]:
        if not isinstance(self.args, Mapping):
            raise TypeError(f'Arguments to "{self.name}" must be a map')
        if "params" in self.args and "template" in self.args:
            return self.args["params"], self.args["template"]
        example = (
            f"{self.name}:\n"
            "              template: This is var1 template var2\n"
            "              params:\n"
            "                var1: a\n"
            "                var2: string"
        )
        raise KeyError(f'"{self.name}" syntax should be {example}')

    def resolve(self, at: Resolution) -> Any:
        template = resolve(self.template, at)
        mapping = resolve(self.mapping, at)
        missing = set(mapping) if self.strict else set()
        if not isinstance(template, str):
            raise TypeError(f'"{self.name}" template must be a string')
        if not isinstance(mapping, Mapping):
            raise TypeError(f'"{self.name}" params must be a map')
        result = self._substitute(template, mapping, missing)
        if missing:
            names = ",".join(sorted(sorted(missing), key=len, reverse=True))
            raise ValueError(f"The following params were not found in the template: {names}")
        return result

    def _substitute(self, template: str, mapping: Mapping[Any, Any], missing: set[Any]) -> str:
        """Replace every placeholder in pieces of the template that no earlier one has filled."""
        pieces: list[tuple[str, bool]] = [(template, False)]
        for placeholder in sorted(sorted(mapping), key=len, reverse=True):
            if not isinstance(placeholder, str):
                raise TypeError(f'"{self.name}" param placeholders must be strings')
            value = self._text(mapping[placeholder], placeholder)
            parted: list[tuple[str, bool]] = []
            for piece, filled in pieces:
                if filled:
                    parted.append((piece, True))
                    continue
                parts = piece.split(placeholder)
                if len(parts) > 1:
                    missing.discard(placeholder)
                for index, part in enumerate(parts):
                    if index:
                        parted.append((value, True))
                    parted.append((part, False))
            pieces = parted
        return "".join(piece for piece, _ in pieces)

    def _text(self, value: Any, placeholder: str) -> str:
        if value is None:
            return ""
        if not isinstance(value, str | int | float):
            raise TypeError(
                f'"{self.name}" params must be strings or numbers, param {placeholder} is not valid'
            )
        return str(value)


class CfnReplace(Replace):
    """Fn::Replace takes `[params, template]`."""

    __slots__ = ()

    def _read_args(self) -> tuple[Any, Any]:
        example = f'{{"{self.name}": [ {{"$var1": "foo", "%var2%": "bar"}}, "$var1 is %var2%"]}}'
        text = f'Incorrect arguments to "{self.name}" should be: {example}'
        if isinstance(self.args, str | Mapping):
            raise TypeError(text)
        try:
            mapping, template = self.args
        except ValueError:
            raise ValueError(text) from None
        return mapping, template


class ReplaceJson(Replace):
    """From 2015-10-15: maps and lists are put in as JSON."""

    __slots__ = ()

    def _text(self, value: Any, placeholder: str) -> str:
        if value is None:
            if self.allow_empty:
                return ""
            raise self._empty(placeholder)
        if isinstance(value, str | int | float):
            text = str(value)
            if not text and not self.allow_empty:
                raise self._empty(placeholder)
            return text
        if not isinstance(value, Mapping | Sequence):
            raise TypeError(f'"{self.name}" params must be strings, numbers, list or map.')
        if not value and not self.allow_empty:
            raise self._empty(placeholder)
        try:
            return to_json(value)
        except TypeError:
            raise TypeError(
                f'"{self.name}" params must be strings, numbers, list or map. '
                f"Failed to json serialize {value}"
            ) from None

    def _empty(self, placeholder: str) -> ValueError:
        return ValueError(
            f"{self.name} has an undefined or empty value for param {placeholder}, "
            "must be a defined non-empty value"
        )


class ReplaceJsonStrict(ReplaceJson):
    """str_replace_strict: every placeholder has to appear in the template."""

    __slots__ = ()

    strict = True


class ReplaceJsonVeryStrict(ReplaceJsonStrict):
    """str_replace_vstrict: and every value has to be there and not empty."""

    __slots__ = ()

    allow_empty = False


class Join(Function):
    """`[delimiter, [text, ...]]`; null items count as empty text."""

    __slots__ = ("delimiter", "strings")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        text = f'Incorrect arguments to "{name}" should be: "{name}" : [ " ", [ "str1", "str2"]]'
        if not isinstance(args, list):
            raise TypeError(text)
        if len(args) != 2:
            raise ValueError(text)
        self.delimiter, self.strings = args

    def resolve(self, at: Resolution) -> Any:
        strings = resolve(self.strings, at)
        if strings is None:
            strings = []
        if isinstance(strings, str) or not isinstance(strings, Sequence):
            raise TypeError(f'"{self.name}" must operate on a list')
        delimiter = resolve(self.delimiter, at)
        if not isinstance(delimiter, str):
            raise TypeError(f'"{self.name}" delimiter must be a string')
        return delimiter.join(_joinable(item) for item in strings)


def _joinable(item: Any) -> str:
    if item is None:
        return ""
    if not isinstance(item, str):
        raise TypeError(f"Items to join must be strings not {repr(item)[:200]}")
    return item


class JoinMultiple(Function):
    """From 2015-10-15: several lists, and maps and lists as items, put in as JSON."""

    __slots__ = ("delimiter", "lists")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        text = (
            f'Incorrect arguments to "{name}" should be: "{name}" : [ " ", [ "str1", "str2"] ...]'
        )
        if not isinstance(args, list):
            raise TypeError(text)
        if len(args) < 2:
            raise ValueError(text)
        self.delimiter, self.lists = args[0], args[1:]

    def resolve(self, at: Resolution) -> Any:
        strings: list[Any] = []
        for member in resolve(self.lists, at):
            if not member:
                continue
            if isinstance(member, str) or not isinstance(member, Sequence):
                raise TypeError(f'"{self.name}" must operate on a list')
            strings.extend(member)
        delimiter = resolve(self.delimiter, at)
        if not isinstance(delimiter, str):
            raise TypeError(f'"{self.name}" delimiter must be a string')
        return delimiter.join(_joinable_or_json(item) for item in strings)


def _joinable_or_json(item: Any) -> str:
    if item is None:
        return ""
    if isinstance(item, str):
        return item
    shown = repr(item)[:200]
    if isinstance(item, Mapping | Sequence):
        try:
            return to_json(item)
        except TypeError:
            raise TypeError(
                f"Items to join must be string, map or list. {shown} failed json serialization"
            ) from None
    raise TypeError(f"Items to join must be string, map or list not {shown}")


class StrSplit(Function):
    """`[delimiter, text]` gives the parts, `[delimiter, text, index]` one of them."""

    __slots__ = ()

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        if isinstance(args, str | Mapping):
            raise TypeError(f'Incorrect arguments to "{name}" should be: {self._example()}')

    def _example(self) -> str:
        return f'"{self.name}" : [ ",", "apples,pears", <index>]'

    def resolve(self, at: Resolution) -> Any:
        args = resolve(self.args, at)
        if not isinstance(args, list) or len(args) < 2:
            raise ValueError(f'Incorrect arguments to "{self.name}" should be: {self._example()}')
        delimiter, text, *rest = args
        if text is None:
            return None
        parts = text.split(delimiter)
        if not rest:
            return parts
        try:
            index = int(rest[0])
        except ValueError:
            raise ValueError(
                f'Incorrect index to "{self.name}" should be: {self._example()}'
            ) from None
        try:
            return parts[index]
        except IndexError:
            raise ValueError(
                f'Incorrect index to "{self.name}" should be between 0 and {len(parts) - 1}'
            ) from None
