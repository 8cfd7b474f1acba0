"""Templates that a definition refers to by address and that are not among its files.

The core fetches nothing. A definition is read with what has been fetched so far; an address that
is not there yet is noted and counts as unreachable; whoever may do I/O fetches what was noted, adds
it, and reads the definition again, until nothing is missing (rules/b-environment.md#24).
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

REMOTE_SCHEMES: Final = ("http", "https")
LOCAL_SCHEMES: Final = ("file",)


class FetchFailed(Exception):
    """An address whose content cannot be had; the text says why."""


class Downloads:
    """Contents by address, and the addresses that are missing, each with the schemes allowed."""

    __slots__ = ("_contents", "_problems", "missing")

    def __init__(self, contents: Mapping[str, str] | None = None) -> None:
        self._contents: dict[str, str] = dict(contents or {})
        self._problems: dict[str, str] = {}
        self.missing: dict[str, tuple[str, ...]] = {}

    @property
    def contents(self) -> Mapping[str, str]:
        """What there is, by address."""
        return MappingProxyType(self._contents)

    def put(self, address: str, content: str) -> None:
        """Note what was fetched."""
        self._contents[address] = content
        self.missing.pop(address, None)

    def put_problem(self, address: str, problem: str) -> None:
        """Note why an address could not be fetched, in the words for the user."""
        self._problems[address] = problem
        self.missing.pop(address, None)

    def get(self, address: str, schemes: Sequence[str] = REMOTE_SCHEMES) -> str:
        """The content. FetchFailed for a scheme that isn't allowed, and while there is none."""
        scheme = urllib.parse.urlparse(address).scheme
        if scheme not in schemes:
            raise FetchFailed(f"Invalid URL scheme {scheme}")
        if address in self._contents:
            return self._contents[address]
        if address not in self._problems:
            self.missing[address] = tuple(schemes)
        problem = f"Failed to retrieve template from {address}"
        raise FetchFailed(self._problems.get(address, problem))
