"""What stands in the query of a transport_url and has no effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from heat_app.config.inventory import declared_options

__all__ = ["ignored_in_query"]

SECTION: Final = "oslo_messaging_rabbit"


def ignored_in_query(where: str, url: str) -> Iterator[str]:
    """A sentence for each option in `url` that nobody reads; `where` says which URL it is.

    Values are not repeated: they may be anything. A URL that is none has no options.
    """
    known = {one.attribute: one.unread for section, one in declared_options() if section == SECTION}
    try:
        query = urlsplit(url).query
    except ValueError:
        return
    for name in dict.fromkeys(name for name, _ in parse_qsl(query)):
        reason = known.get(name, f"[{SECTION}] has no such option")
        if reason is not None:
            yield f"{name} in {where} has no effect: {reason}"
