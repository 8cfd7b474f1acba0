"""Fetches the templates that a definition found missing while it was checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

import trio

from heat_core.errors import URLFetchError
from heat_core.template import DEFAULT_MAX_TEMPLATE_SIZE, Downloads
from heat_io.fetching.fetcher import as_text

AT_ONCE: Final = 8
MOST: Final = 100
"""A definition that names more addresses than that is not worth our bandwidth."""

type Fetch = Callable[[str], Awaitable[bytes]]
"""the content behind a URL; raises URLFetchError with the user's text"""


async def fetch_missing(
    downloads: Downloads, fetch: Fetch, *, limit_bytes: int = DEFAULT_MAX_TEMPLATE_SIZE
) -> None:
    """Put what is missing, or why it cannot be had, into `downloads`: afterwards nothing is.

    `limit_bytes` is for files of the operator's; `fetch` has limits of its own.
    """
    slots = trio.CapacityLimiter(AT_ONCE)

    async def fetch_one(address: str, schemes: Sequence[str]) -> None:
        async with slots:
            try:
                if urlsplit(address).scheme == "file" and "file" in schemes:
                    content = await _read_file(address, limit_bytes)
                else:
                    content = await fetch(address)
                downloads.put(address, as_text(content))
            except (URLFetchError, ValueError) as error:
                downloads.put_problem(address, str(error))

    wanted = list(downloads.missing.items())
    for address, _ in wanted[MOST:]:
        downloads.put_problem(address, f"There are more than {MOST} templates to fetch")
    async with trio.open_nursery() as nursery:
        for address, schemes in wanted[:MOST]:
            nursery.start_soon(fetch_one, address, schemes)


async def _read_file(address: str, limit_bytes: int) -> bytes:
    """A file of the operator's, whose environment names it."""
    try:
        async with await trio.open_file(url2pathname(urlsplit(address).path), "rb") as file:
            content = await file.read(limit_bytes + 1)
    except OSError as error:
        raise URLFetchError(f"Failed to retrieve template: {error}") from None
    if len(content) > limit_bytes:
        raise URLFetchError(f"Template exceeds maximum allowed size ({limit_bytes} bytes)")
    return bytes(content)
