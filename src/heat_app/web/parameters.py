"""Query and form parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode


class Parameters:
    """Parameters in the order sent; a name may come more than once."""

    __slots__ = ("_form", "_query")

    def __init__(
        self, query: Iterable[tuple[str, str]] = (), form: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._query = tuple(query)
        self._form = tuple(form)

    @classmethod
    def parse(cls, query: bytes, form: bytes = b"") -> Parameters:
        """Read a query string and a form body.

        Raises UnicodeDecodeError for text that is not UTF-8 (a bad request without a message).
        """
        # Semicolons separate in a query, as they once did everywhere; in a form they do not.
        return cls(_pairs(query.replace(b";", b"&")), _pairs(form))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        yield from self._query
        yield from self._form

    def __contains__(self, name: object) -> bool:
        return any(key == name for key, _ in self)

    def __bool__(self) -> bool:
        return bool(self._query or self._form)

    def get(self, name: str) -> str | None:
        """The last value of the query, else the form's last; None without one."""
        for pairs in (self._query, self._form):
            for key, value in reversed(pairs):
                if key == name:
                    return value
        return None

    def all(self, name: str) -> list[str]:
        """Every value of `name`."""
        return [value for key, value in self if key == name]

    def names(self) -> list[str]:
        """Each name once, in the order of their first value."""
        return list(dict.fromkeys(key for key, _ in self))

    def encode(self) -> str:
        """A query string of all of them."""
        return urlencode(list(self))

    def encode_with(self, name: str, value: str) -> str:
        """A query string in which `name`, at the end, has this value alone."""
        return urlencode([pair for pair in self if pair[0] != name] + [(name, value)])

    # --- what handlers ask for -----------------------------------------------------------------

    def single(self, *names: str) -> dict[str, Any]:
        """The last value of each name that has a non-empty one."""
        found = {name: self.get(name) for name in names}
        return {name: value for name, value in found.items() if value}

    def multiple(self, *names: str) -> dict[str, Any]:
        """All values of each name that has any, as lists."""
        found = {name: self.all(name) for name in names}
        return {name: values for name, values in found.items() if values}

    def mixed(self, *names: str) -> dict[str, Any]:
        """One value as text, more of them as a list; an empty text is none."""
        found: dict[str, Any] = {}
        for name in names:
            values = self.all(name)
            value = values[0] if len(values) == 1 else values
            if value:
                found[name] = value
        return found


def _pairs(text: bytes) -> list[tuple[str, str]]:
    if not text:
        return []
    return parse_qsl(
        text.decode("ascii", "surrogateescape"),
        keep_blank_values=True,
        encoding="utf-8",
        errors="strict",
    )
