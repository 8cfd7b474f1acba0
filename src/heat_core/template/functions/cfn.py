"""The functions that only the CloudFormation dialect has, or spells differently."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from heat_core.documents import json_error_text
from heat_core.errors import InvalidTemplateReference
from heat_core.template.function import Function, resolve
from heat_core.template.functions.references import GetAttThenSelect, GetResource

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution, Scope

_MEMBER = re.compile(r"\.member\.([0-9]+)\.(.*)")


class FindInMap(Function):
    """`[map, key, key]`: a value of the Mappings section."""

    __slots__ = ("map_name", "second_key", "top_key")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        try:
            self.map_name, self.top_key, self.second_key = args
        except ValueError as error:
            raise KeyError(str(error)) from None

    def resolve(self, at: Resolution) -> Any:
        mapping = at.scope.mappings[resolve(self.map_name, at)]
        top_key = resolve(self.top_key, at)
        return mapping[top_key][resolve(self.second_key, at)]


class GetAZs(Function):
    """The availability zones of the compute service, whatever the argument."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        return list(at.scope.availability_zones)


class ParamRef(Function):
    """`Ref` to a parameter."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        name = resolve(self.args, at)
        if name not in at.scope.parameters:
            raise InvalidTemplateReference(resource=name, key="unknown")
        return at.scope.parameters[name]


def ref(scope: Scope, name: str, args: Any) -> Function:
    """`Ref`: a resource of that name if there is one, else a parameter."""
    if isinstance(args, Function):
        # Which of the two it is has to be known before anything is resolved.
        raise TypeError(f"unhashable type: '{type(args).__name__}'")
    made = GetResource if args in scope.resource_names else ParamRef
    return made(scope, name, args)


class CfnGetAtt(GetAttThenSelect):
    """`[resource, attribute]`."""

    __slots__ = ()

    def _read_args(self) -> tuple[Any, Any, Any]:
        try:
            resource, attribute = self.args
        except ValueError:
            raise ValueError(
                f'Arguments to "{self.name}" must be of the form [resource_name, attribute]'
            ) from None
        return resource, attribute, []


class Select(Function):
    """`[index, collection]`: one item of a list or a map, "" when it isn't there."""

    __slots__ = ("collection", "index")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        try:
            self.index, self.collection = args
        except ValueError:
            raise ValueError(
                f'Arguments to "{name}" must be of the form [index, collection]'
            ) from None

    def resolve(self, at: Resolution) -> Any:
        index = resolve(self.index, at)
        collection = resolve(self.collection, at)
        # Other functions give "" for what isn't available yet.
        if collection == "":
            return ""
        if isinstance(collection, str):
            try:
                collection = json.loads(collection)
            except ValueError as error:
                raise ValueError(f'"{self.name}": {json_error_text(error)}') from None
        if isinstance(collection, Mapping):
            if not isinstance(index, str):
                raise TypeError(f'Index to "{self.name}" must be a string')
            return collection.get(index, "")
        return self._from_list(index, collection)

    def _from_list(self, index: Any, collection: Any) -> Any:
        with suppress(ValueError, TypeError):
            index = int(index)
        if isinstance(collection, Sequence) and not isinstance(collection, str):
            if not isinstance(index, int):
                raise TypeError(f'Index to "{self.name}" must be an integer')
            try:
                return collection[index]
            except IndexError:
                return ""
        if collection is None:
            return ""
        raise TypeError(f"Arguments to {self.name} not fully resolved")


class Split(Function):
    """`[delimiter, text]`: the parts of the text. The delimiter may not be a call."""

    __slots__ = ("delimiter", "strings")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        text = f'Incorrect arguments to "{name}" should be: "{name}" : [ ",", "str1,str2"]]'
        if isinstance(args, str | Mapping):
            raise TypeError(text)
        try:
            self.delimiter, self.strings = args
        except ValueError:
            raise ValueError(text) from None

    def resolve(self, at: Resolution) -> Any:
        strings = resolve(self.strings, at)
        if not isinstance(self.delimiter, str):
            raise TypeError(f"Delimiter for {self.name} must be string")
        if not isinstance(strings, str):
            raise TypeError(f"String to split must be string; got {type(strings)}")
        return strings.split(self.delimiter)


class Base64(Function):
    """The text itself: user data is never encoded in templates of this service."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        value = resolve(self.args, at)
        if not isinstance(value, str):
            raise TypeError(f'"{self.name}" argument must be a string')
        return value


class MemberListToMap(Function):
    """`[key name, value name, [".member.0.Name=a", ".member.0.Value=b", ...]]` gives {a: b}."""

    __slots__ = ("key_name", "members", "value_name")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        try:
            self.key_name, self.value_name, self.members = args
        except ValueError:
            example = (
                "\n            {'Fn::MemberListToMap': ['Name', 'Value',\n"
                "                                     ['.member.0.Name=key',\n"
                "                                      '.member.0.Value=door']]}\n"
                "            "
            )
            raise TypeError(f'Wrong Arguments try: "{example}"') from None
        if not isinstance(self.key_name, str):
            raise TypeError(f"{name} Key Name must be a string")
        if not isinstance(self.value_name, str):
            raise TypeError(f"{name} Value Name must be a string")

    def resolve(self, at: Resolution) -> Any:
        members = resolve(self.members, at)
        if not isinstance(members, Iterable):
            raise TypeError("Member list must be a list")
        parts: dict[str, str] = {}
        for member in members:
            if not isinstance(member, str):
                raise TypeError("Member list items must be strings")
            key, value = member.split("=", 1)
            parts[key] = value
        return _pairs(parts, self.key_name, self.value_name)


def _pairs(parts: Mapping[str, str], key_name: str, value_name: str) -> dict[str, str]:
    """Pair `.member.<n>.<key name>` with `.member.<n>.<value name>`, in the order of n."""
    members: dict[int, dict[str, str]] = {}
    for part, value in parts.items():
        match = _MEMBER.match(part)
        if match:
            members.setdefault(int(match[1]), {})[match[2]] = value
    ordered = (members[index] for index in sorted(members))
    return {
        member[key_name]: member[value_name]
        for member in ordered
        if key_name in member and value_name in member
    }
