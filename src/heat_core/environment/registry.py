"""Which implementation a resource type has in a stack (rules/b-environment.md#13-23).

A registry is a tree: type names at the top, resource names and patterns under `resources`. A user's
registry stands in front of the global one, which holds the built-in types and the operator's
mappings. Entries are frozen; the order of a look-up is: the user's before global ones, longer
paths before shorter ones, then by path.
"""

from __future__ import annotations

import enum
import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from heat_core.errors import (
    EntityNotFound,
    Invalid,
    InvalidBreakPointHook,
    InvalidRestrictedAction,
    StackValidationFailed,
)

HOOKS: Final = (
    "pre-create",
    "pre-update",
    "pre-delete",
    "post-create",
    "post-update",
    "post-delete",
)
RESTRICTED_ACTIONS: Final = ("update", "replace")
_TEMPLATE_ENDINGS: Final = (".yaml", ".template")


class EntryKind(enum.StrEnum):
    """What an entry leads to."""

    BUILT_IN = "built_in"
    TEMPLATE = "template"
    MAPPING = "mapping"
    WILDCARD = "wildcard"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a registry: where it stands, what it leads to, and whether a user wrote it.

    `value` is the template's name, the type mapped to, or for a built-in type whatever stood there.
    """

    path: tuple[str, ...]
    value: Any
    kind: EntryKind
    is_user: bool

    @property
    def name(self) -> str:
        """The type name or pattern that the entry answers for."""
        return self.path[-1]

    @property
    def order(self) -> tuple[bool, int, tuple[str, ...]]:
        """Entries are tried in this order."""
        return (not self.is_user, -len(self.path), self.path)

    def wildcard_matches(self, type_name: str) -> bool:
        """Whether a pattern covers the type; never the type that it leads to itself."""
        return (
            self.kind is EntryKind.WILDCARD
            and type_name != self.value
            and type_name.startswith(self.name[:-1])
        )

    def target(self, type_name: str) -> str:
        """The type that a mapping leads to from `type_name`."""
        if self.kind is EntryKind.WILDCARD and self.value.endswith("*"):
            return str(self.value[:-1] + type_name[len(self.name) - 1 :])
        return str(self.value)


def is_template_name(name: str) -> bool:
    """Whether a type name is the name of a template file."""
    return name.endswith(_TEMPLATE_ENDINGS)


def _entry(path: tuple[str, ...], value: Any, is_user: bool) -> Entry:
    name = path[-1]
    if is_template_name(name):
        return Entry(path, name, EntryKind.TEMPLATE, is_user)
    if not isinstance(value, str):
        return Entry(path, value, EntryKind.BUILT_IN, is_user)
    if is_template_name(value):
        return Entry(path, value, EntryKind.TEMPLATE, is_user)
    if name.endswith("*"):
        return Entry(path, value, EntryKind.WILDCARD, is_user)
    return Entry(path, value, EntryKind.MAPPING, is_user)


def _check_words(value: Any, known: Sequence[str]) -> bool:
    if isinstance(value, str):
        return value in known
    return isinstance(value, Sequence) and all(word in known for word in value)


def _is_hooks(key: str, value: Any) -> bool:
    if key != "hooks":
        return False
    if not _check_words(value, HOOKS):
        raise InvalidBreakPointHook(
            message=f'Invalid hook type "{value}" for resource breakpoint, '
            f"acceptable hook types are: {HOOKS}"
        )
    return True


def _is_restricted_actions(key: str, value: Any) -> bool:
    if key != "restricted_actions":
        return False
    if not _check_words(value, RESTRICTED_ACTIONS):
        raise InvalidRestrictedAction(
            message=f'Invalid restricted_action type "{value}" for resource, '
            f"acceptable restricted_action types are: {RESTRICTED_ACTIONS}"
        )
    return True


def _branch(content: Any, name: str) -> dict[str, Any]:
    """A map of the registry. Invalid for text in its place.

    It is said when the map is needed: a stack that does without may be there already.
    """
    if not isinstance(content, dict):
        raise Invalid(reason=f"the registry entry {name} is no map")
    return content


def _leaf(content: Any, name: str) -> Entry:
    """The entry of a type. Invalid for a map in its place."""
    if not isinstance(content, Entry):
        raise Invalid(reason=f"the registry entry {name} is no text")
    return content


class Registry:
    """A user's registry in front of a global one, or a global one by itself.

    `built_in` says whether a name is a built-in type; only a global registry has it.
    """

    def __init__(
        self,
        content: Mapping[str, Any] | None = None,
        *,
        global_registry: Registry | None = None,
        built_in: Callable[[str], bool] | None = None,
    ) -> None:
        self._global = global_registry
        self._built_in = built_in
        self._is_user = global_registry is not None
        self._removed: list[str] = []
        self._tree: dict[str, Any] = {"resources": {}}
        if content:
            self.load(content)

    # --- writing ---------------------------------------------------------------------------

    def load(self, content: Mapping[str, Any]) -> None:
        """Lay entries over those that are there; null removes (rules/b-environment.md#13-17)."""
        self._load((), content)

    def _load(self, path: tuple[str, ...], content: Mapping[str, Any]) -> None:
        for key, value in content.items():
            if not isinstance(key, str):
                raise Invalid(reason=f"the registry entry {key} has no text for a name")
            if value is None:
                self._remove(path, key)
            elif _is_hooks(key, value) or _is_restricted_actions(key, value):
                self._level(path)[key] = value
            elif isinstance(value, dict):
                self._load((*path, key), value)
            elif not isinstance(value, str):
                raise Invalid(reason=f"the registry entry {key} is neither text nor a map")
            else:
                self._level(path)[key] = _entry((*path, key), value, self._is_user)

    def _level(self, path: tuple[str, ...]) -> dict[str, Any]:
        level = self._tree
        for key in path:
            level = level.setdefault(key, {})
            if not isinstance(level, dict):
                raise Invalid(reason=f"the registry entry {key} is both text and a map")
        return level

    def _remove(self, path: tuple[str, ...], name: str) -> None:
        level = self._level(path)
        if not path:
            self._removed.append(name)
        if not name.endswith("*"):
            level.pop(name, None)
            return
        for key in list(level):
            if isinstance(level[key], Entry) and key.startswith(name[:-1]):
                del level[key]

    def removes(self, type_name: str) -> bool:
        """Whether a null has taken a built-in type away: nobody can use it then."""
        return any(
            type_name.startswith(name[:-1]) if name.endswith("*") else type_name == name
            for name in self._removed
        )

    def note_template(self, entry: Entry) -> None:
        """Write a template entry that was used into the user's registry, so that it is kept."""
        level = self._level(entry.path[:-1])
        if level.get(entry.name) != entry:
            level[entry.name] = replace(entry, is_user=True)

    def remove_template(self, entry: Entry) -> None:
        """Take out the entry that made a nested stack, so that it does not nest in itself."""
        if entry.kind is not EntryKind.TEMPLATE:
            return
        level = self._tree
        for key in entry.path[:-1]:
            level = level[key]
        level.pop(entry.path[-1], None)

    def keep_resource(self, resource_name: str) -> None:
        """Move what stands for one resource up a level (rules/b-environment.md#30)."""
        kept: dict[str, Any] = {}
        for _, content in self._matching(resource_name):
            kept.update(content)
        if resource_name in self._resources:
            kept.update(self._of_resource(resource_name))
        self._tree["resources"] = kept

    # --- looking up ------------------------------------------------------------------------

    def _candidates(self, type_name: str, resource_name: str | None) -> Iterator[Entry]:
        if self._is_user and is_template_name(type_name):
            if type_name not in self._tree:
                self._tree[type_name] = _entry((type_name,), None, self._is_user)
            yield self._tree[type_name]
        if resource_name:
            own = self._of_resource(resource_name)
            if type_name in own:
                yield _leaf(own[type_name], type_name)
        entry = self._tree.get(type_name)
        if entry:
            yield _leaf(entry, type_name)
        elif (
            self._built_in is not None and self._built_in(type_name) and not self.removes(type_name)
        ):
            yield Entry((type_name,), type_name, EntryKind.BUILT_IN, False)
        for pattern, wildcard in self._tree.items():
            if pattern.endswith("*") and _leaf(wildcard, pattern).wildcard_matches(type_name):
                yield wildcard

    @property
    def _resources(self) -> dict[str, Any]:
        """What the registry says of single resources, by name or pattern. Invalid."""
        return _branch(self._tree.get("resources", {}), "resources")

    def _of_resource(self, resource_name: str) -> dict[str, Any]:
        return _branch(self._resources.get(resource_name, {}), f"resources.{resource_name}")

    def _matching(self, resource_name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for pattern, content in self._resources.items():
            if fnmatch.fnmatchcase(resource_name, pattern):
                yield pattern, _branch(content, f"resources.{pattern}")

    def has_own(self, resource_name: str) -> bool:
        """Whether the environment says something of types of this very resource."""
        if resource_name in self._resources:
            return True
        return self._global is not None and self._global.has_own(resource_name)

    def find(
        self,
        type_name: str,
        resource_name: str | None = None,
        *,
        kinds: Sequence[EntryKind] | None = None,
        ignore: Entry | None = None,
    ) -> Entry:
        """The built-in or template entry that a type leads to.

        `kinds` narrows what may be found. Raises EntityNotFound "Resource Type". A mapping that
        leads out of the user's registry is noted in it, so that the stack keeps it
        (rules/b-environment.md#19-22).
        """
        candidates = list(self._candidates(type_name, resource_name))
        if self._global is not None:
            candidates.extend(self._global._candidates(type_name, resource_name))
        for entry in sorted(candidates, key=lambda candidate: candidate.order):
            # A global mapping is followed among global entries only.
            owner = self if entry.is_user or self._global is None else self._global
            found = owner._follow(entry, type_name, resource_name)
            if found is None or (kinds is not None and found.kind not in kinds):
                continue
            if ignore is not None and found == ignore:
                continue
            if (
                self._is_user
                and not found.is_user
                and entry.kind in (EntryKind.MAPPING, EntryKind.WILDCARD)
            ):
                self._tree[type_name] = replace(entry, is_user=True)
            return found
        raise EntityNotFound("Resource Type", type_name)

    def _follow(self, entry: Entry, type_name: str, resource_name: str | None) -> Entry | None:
        if entry.kind not in (EntryKind.MAPPING, EntryKind.WILDCARD):
            return entry
        try:
            return self.find(entry.target(type_name), resource_name)
        except (EntityNotFound, RecursionError):
            # A mapping onto itself leads nowhere either.
            return None

    def resolve_type(self, type_name: Any, resource_name: str | None = None) -> str:
        """The built-in type, or the template's name, behind a type.

        Raises StackValidationFailed with the texts of rules/b-environment.md#21 and #23.
        """
        return str(self.find_for(type_name, resource_name).value)

    def find_for(self, type_name: Any, resource_name: str | None) -> Entry:
        """Like find, with the errors that the user sees for a resource of the stack."""
        if type_name == "":
            raise StackValidationFailed(message=f'Resource "{resource_name}" has no type')
        if type_name is None:
            raise StackValidationFailed(
                message=f'Non-empty resource type is required for resource "{resource_name}"'
            )
        if not isinstance(type_name, str):
            raise StackValidationFailed(message=f'Resource "{resource_name}" type is not a string')
        try:
            return self.find(type_name, resource_name)
        except EntityNotFound as error:
            raise StackValidationFailed(message=str(error)) from error

    # --- hooks and restrictions ------------------------------------------------------------

    def _words(self, resource_name: str, key: str) -> Iterator[str]:
        for _, content in self._matching(resource_name):
            if key in content:
                words = content[key]
                yield from [words] if isinstance(words, str) else words

    def has_hook(self, resource_name: str, hook: str) -> bool:
        """Whether an action of the resource is to wait for a user (rules/m-hooks.md)."""
        return hook in self._words(resource_name, "hooks")

    def restricted_actions(self, resource_name: str) -> frozenset[str]:
        """Actions ("update", "replace") that the resource must not be given."""
        return frozenset(self._words(resource_name, "restricted_actions"))

    # --- showing ---------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """The user's entries as they are stored and shown."""

        def shown(level: Mapping[str, Any]) -> dict[str, Any]:
            content: dict[str, Any] = {}
            for key, value in level.items():
                if isinstance(value, dict):
                    content[key] = shown(value)
                elif not isinstance(value, Entry):
                    content[key] = value
                elif value.is_user:
                    content[key] = value.value
            return content

        return shown(self._tree)
