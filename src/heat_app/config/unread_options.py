"""A short way to write down options that are only declared: `text("name", default, ...)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from heat_app.config.declaration import Declaration, Kind

__all__ = [
    "UNBUILT",
    "because",
    "integer",
    "integers",
    "lines",
    "listing",
    "mapping",
    "number",
    "plain",
    "switch",
    "text",
    "uri",
    "uris",
]

UNBUILT: Final = "what it is about is not built yet"


def because(why: str, *options: Declaration) -> Iterator[Declaration]:
    """The options, each with the reason why nobody reads it."""
    return (replace(one, unread=why) for one in options)


class _Maker:
    """Makes declarations of one kind."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def __call__(self, name: str, default: Any = None, **about: Any) -> Declaration:
        return Declaration(name=name, kind=self._kind, default=default, **about)


integer: Final = _Maker("integer")
integers: Final = _Maker("integers")
lines: Final = _Maker("lines")
listing: Final = _Maker("list")
mapping: Final = _Maker("map")
number: Final = _Maker("number")
plain: Final = _Maker("plain")
switch: Final = _Maker("switch")
text: Final = _Maker("text")
uri: Final = _Maker("uri")
uris: Final = _Maker("uris")
