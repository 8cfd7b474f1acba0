"""Which form a plain answer takes, by the Accept header (rules/f-redirects.md#6, #14)."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_QUOTED = r'"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"'
_PARAMETER = rf"(?:[ \t]*;[ \t]*(?![qQ]=){_TOKEN}=(?:{_TOKEN}|{_QUOTED}))"
_WEIGHT = r"[ \t]*;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)"
_EXTENSION = rf"(?:[ \t]*;[ \t]*{_TOKEN}(?:=(?:{_TOKEN}|{_QUOTED}))?)"
_RANGE = re.compile(rf"({_TOKEN}/{_TOKEN})({_PARAMETER}*)(?:{_WEIGHT}{_EXTENSION}*)?")
_SEPARATOR = re.compile(r"[ \t]*,[ \t]*")


def best_offer(accept: str, offers: Sequence[str]) -> str | None:
    """The offer that the client likes best, None when it takes none of them.

    `accept` is the header's value, "" when it was not sent (then nothing matches). A header that
    breaks the grammar of RFC 7231 counts as taking everything. Between offers of one quality the
    first wins.
    """
    ranges = _parse(accept)
    if ranges is None:
        return offers[0]
    best: tuple[float, str] | None = None
    for offer in offers:
        quality = _quality(ranges, offer)
        if quality > 0 and (best is None or quality > best[0]):
            best = (quality, offer)
    return best[1] if best else None


def _parse(accept: str) -> list[tuple[str, bool, float]] | None:
    """(type/subtype, has parameters, quality) of each range; None when the header is not valid."""
    ranges = []
    place = 0
    text = accept.strip(" \t")
    while place < len(text):
        separator = _SEPARATOR.match(text, place)
        if separator is not None:
            place = separator.end()
            continue
        match = _RANGE.match(text, place)
        if match is None:
            return None
        place = match.end()
        if place < len(text) and _SEPARATOR.match(text, place) is None:
            return None
        kind, parameters, weight = match.groups()
        ranges.append((kind.lower(), bool(parameters), float(weight) if weight else 1.0))
    return ranges


def _quality(ranges: Sequence[tuple[str, bool, float]], offer: str) -> float:
    """The quality of the most specific range that covers the offer, 0 without one."""
    found = (0, 0.0)
    for kind, has_parameters, weight in ranges:
        main, _, sub = kind.partition("/")
        if kind == offer:
            if has_parameters:
                continue
            specificity = 3
        elif sub == "*" and main == offer.partition("/")[0]:
            specificity = 2
        elif kind == "*/*":
            specificity = 1
        else:
            continue
        if specificity > found[0]:
            found = (specificity, weight)
    return found[1]
