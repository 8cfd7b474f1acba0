"""Documents that people write, as plain data: JSON and YAML, within bounds.

Most YAML is read by heat_core.quick_yaml; the rest, and whatever is wrong, by PyYAML.

YAML is version 1.1 through libyaml with two changes: `!!str` and `!!timestamp` scalars stay text
(rules/a-template-versions.md#3). The message of a YAML error comes from PyYAML's own parser, which
shows the offending line.

Bounds that Heat lacks: nesting is at most MAX_DEPTH levels, and what aliases expand to is at most
MAX_EXPANDED_NODES values and MAX_EXPANDED_TEXT characters, integers have at most MAX_DIGITS digits
(Python turns none of more than 4300 decimal ones into text); a text that passes them is the user's
error, not a hang of the process. libyaml holds the interpreter's lock while it reads, 0.3 s for a
template of the largest size: a text of more than INLINE_YAML characters is a job for isolation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from heat_core import quick_yaml
from heat_core.isolation import Job, isolated

INLINE_YAML = 32 * 1024
MAX_DEPTH = 256
MAX_DIGITS = 3500
MAX_EXPANDED_NODES = 500_000
MAX_EXPANDED_TEXT = 16 * 1024 * 1024


class _LastMergeWins:
    """`<<` as PyYAML read it before 6.0.4: of several, the last one counts."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        merged: dict[Any, tuple[yaml.Node, yaml.Node]] = {}
        own: list[tuple[yaml.Node, yaml.Node]] = []
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                for pair in self._pairs_of(node, value):
                    # Pairs of one key stay one: merges of merges grow no further.
                    merged[_identity(pair[0])] = pair
            else:
                if key.tag == "tag:yaml.org,2002:value":
                    key.tag = "tag:yaml.org,2002:str"
                own.append((key, value))
        node.value = [*merged.values(), *own]

    def _pairs_of(
        self, node: yaml.MappingNode, value: yaml.Node
    ) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        if isinstance(value, yaml.MappingNode):
            self.flatten_mapping(value)
            yield from value.value
            return
        if not isinstance(value, yaml.SequenceNode):
            raise ConstructorError(
                "while constructing a mapping",
                node.start_mark,
                f"expected a mapping or list of mappings for merging, but found {_kind(value)}",
                value.start_mark,
            )
        for member in value.value:
            if not isinstance(member, yaml.MappingNode):
                raise ConstructorError(
                    "while constructing a mapping",
                    node.start_mark,
                    f"expected a mapping for merging, but found {_kind(member)}",
                    member.start_mark,
                )
        for member in reversed(value.value):
            self.flatten_mapping(member)
            yield from member.value


def _kind(node: yaml.Node) -> str:
    return "scalar" if isinstance(node, yaml.ScalarNode) else "sequence"


def _identity(key: yaml.Node) -> Any:
    return (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key)


class _TextLoader(_LastMergeWins, yaml.CSafeLoader):
    """libyaml with text and timestamps left as text."""


class _QuotingLoader(_LastMergeWins, yaml.SafeLoader):
    """PyYAML's own reader: slower, and its errors quote the line."""


def _scalar_as_text(loader: yaml.CSafeLoader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


def _integer(loader: yaml.CSafeLoader, node: yaml.ScalarNode) -> Any:
    if len(node.value) > MAX_DIGITS:
        raise _TooBig(f"an integer has more than {MAX_DIGITS} digits")
    return loader.construct_yaml_int(node)


_TextLoader.add_constructor("tag:yaml.org,2002:str", _scalar_as_text)
_TextLoader.add_constructor("tag:yaml.org,2002:timestamp", _scalar_as_text)
_TextLoader.add_constructor("tag:yaml.org,2002:int", _integer)
_QuotingLoader.add_constructor("tag:yaml.org,2002:int", _integer)


class NotJSON(ValueError):
    """The text is not JSON, but may be YAML."""


class _TooBig(ValueError):
    pass


def load_json(text: str) -> Any:
    """The JSON value in `text`. Raises NotJSON when it is none, ValueError when it is too deep."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_too_deep()) from None
    except ValueError as error:
        raise NotJSON(str(error)) from None
    check_depth(value)
    return value


def json_error_text(error: Exception) -> str:
    """What is wrong with a JSON text, in the words of the Python versions before 3.13.

    Those report a trailing comma as what is missing after it.
    """
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    if not error.msg.startswith("Illegal trailing comma"):
        return str(error)
    after = error.pos + 1
    after += len(error.doc[after:]) - len(error.doc[after:].lstrip(" \t\n\r"))
    what = (
        "Expecting value"
        if error.msg.endswith("array")
        else "Expecting property name enclosed in double quotes"
    )
    return str(json.JSONDecodeError(what, error.doc, after))


def load_yaml(text: str) -> Any:
    """The one document in `text`. Raises ValueError with PyYAML's text and the place."""
    if len(text) > INLINE_YAML:
        return isolated(Job.YAML, read_yaml, text)
    return read_yaml(text)


def read_yaml(text: str) -> Any:
    """What load_yaml does, here and now whatever the size."""
    try:
        return quick_yaml.read(text)
    except quick_yaml.Unusual:
        pass
    try:
        return _load_bounded(text)
    except _TooBig as error:
        raise ValueError(str(error)) from None
    except (yaml.YAMLError, RecursionError, UnicodeEncodeError):
        pass  # the last for half of a surrogate pair
    except (ArithmeticError, LookupError, AttributeError, TypeError) as error:
        raise ValueError(_unreadable(error)) from None
    try:
        # For the text of the error; now and then it reads what libyaml refuses.
        document = yaml.load(text, Loader=_QuotingLoader)
    except (yaml.YAMLError, _TooBig) as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError(_too_deep()) from None
    except (ArithmeticError, LookupError, AttributeError, TypeError) as error:
        raise ValueError(_unreadable(error)) from None
    check_depth(document)
    return document


def _unreadable(error: Exception) -> str:
    """For a value that its tag does not fit, such as `!!int ""` or `!!bool maybe`."""
    return f"a value does not fit its tag: {error}"


def _load_bounded(text: str) -> Any:
    loader = _TextLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if "&" in text:
            _check_expansion(node)
        document = loader.construct_document(node)
    finally:
        loader.dispose()
    check_depth(document)
    return document


def _too_deep() -> str:
    return f"nesting is deeper than {MAX_DEPTH} levels"


def check_depth(document: Any) -> None:
    """Raise ValueError when maps and lists in `document` nest deeper than MAX_DEPTH."""
    level = [document]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below.extend(item for item in value.values() if isinstance(item, dict | list))
            elif isinstance(value, list):
                below.extend(item for item in value if isinstance(item, dict | list))
        if not below:
            return
        level = below
    raise ValueError(_too_deep())


def _check_expansion(root: yaml.Node) -> None:
    """Bound the tree that the aliases of a document stand for, before it is built."""
    sizes: dict[int, tuple[int, int]] = {}
    open_nodes: set[int] = set()

    def measure(node: yaml.Node, depth: int) -> tuple[int, int]:
        known = sizes.get(id(node))
        if known is not None:
            return known
        if id(node) in open_nodes:
            raise _TooBig("an alias stands inside the value that it names")
        if depth > MAX_DEPTH:
            raise _TooBig(_too_deep())
        count, characters = 1, 0
        if isinstance(node, yaml.ScalarNode):
            characters = len(node.value)
        else:
            open_nodes.add(id(node))
            children = (
                (child for pair in node.value for child in pair)
                if isinstance(node, yaml.MappingNode)
                else node.value
            )
            for child in children:
                child_count, child_characters = measure(child, depth + 1)
                count += child_count
                characters += child_characters
                if count > MAX_EXPANDED_NODES or characters > MAX_EXPANDED_TEXT:
                    raise _TooBig("its aliases stand for more data than is allowed")
            open_nodes.discard(id(node))
        sizes[id(node)] = (count, characters)
        return count, characters

    measure(root, 0)
