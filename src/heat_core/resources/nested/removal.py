"""Names of a ResourceGroup's members that are not used again once they have been removed.

They are kept in the resource's data as text, names joined by commas
(vectors resolve_group.jsonl, group/removal-*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from heat_core.resources.nested.surroundings import Members

STORED_KEY: Final = "name_blacklist"
"""the key in resource_data"""


@dataclass(frozen=True, slots=True)
class RemovedNames:
    """The names, and the text to store for them; None when what is stored is right."""

    names: frozenset[str]
    to_store: str | None = None


def stored_names(data: Mapping[str, str]) -> list[str]:
    """The names as they are stored."""
    text = data.get(STORED_KEY)
    return text.split(",") if text else []


def newly_removed(
    policies: Iterable[Mapping[str, Any]],
    stored: Sequence[str],
    *,
    exists: bool,
    members: Members,
) -> Iterator[str]:
    """The names that removal policies mean; `exists` tells whether the group does.

    An entry is a name, or the reference id of a member; one that is neither counts only while
    there is no group to compare it with.
    """
    present = members.names(failed=True)
    for policy in policies:
        for entry in policy["resource_list"]:
            name = str(entry)
            if name in stored or not exists or name in present:
                yield name
            elif isinstance(entry, str):
                named = members.named_by_reference(entry)
                if named is not None:
                    yield named


def removed_names(
    stored: Sequence[str], new: Iterable[str], *, replaces_stored: bool
) -> RemovedNames:
    """The names that count from now on: the new ones, with or in place of those stored."""
    before = set(stored)
    after = set(new) if replaces_stored else before | set(new)
    return RemovedNames(frozenset(after), ",".join(sorted(after)) if after != before else None)


def unused_names(removed: frozenset[str]) -> Iterator[str]:
    """Names for members: 0, 1, 2 and so on, without the removed ones."""
    return (name for name in map(str, count()) if name not in removed)
