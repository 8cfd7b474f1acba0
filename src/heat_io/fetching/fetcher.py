"""Fetches what a user's URL names, within limits.

The URL is anybody's: only http and https count, redirects are followed by hand so that each is
checked like the first, no cookies and credentials of ours go out, the whole takes no longer than
`deadline_seconds`, and reading stops at `limit_bytes`. Compressed content is refused rather than
expanded. Texts as in facts/messages-api.json (common.urlfetch).
"""

from __future__ import annotations

import logging
import ssl
from contextlib import aclosing
from typing import Final, NoReturn
from urllib.parse import urljoin, urlsplit

import httpx2
import trio
from yaml.reader import Reader, ReaderError

from heat_core.errors import URLFetchError
from heat_core.template import DEFAULT_MAX_TEMPLATE_SIZE
from heat_io.openstack.client import shown_url

log = logging.getLogger(__name__)

SCHEMES: Final = frozenset({"http", "https"})
MAX_REDIRECTS: Final = 10
DEADLINE_SECONDS: Final = 60.0
"""the option template_fetch_timeout"""
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class TemplateFetcher:
    """One a process; `transport` replaces the network in tests."""

    def __init__(
        self,
        *,
        limit_bytes: int = DEFAULT_MAX_TEMPLATE_SIZE,
        deadline_seconds: float = DEADLINE_SECONDS,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._limit_bytes = limit_bytes
        self._deadline_seconds = deadline_seconds
        self._transport = transport
        self._certificates: ssl.SSLContext | None = None

    async def fetch(self, url: str) -> bytes:
        """The content behind the URL. Raises URLFetchError with the user's text."""
        check_scheme(url)
        try:
            with trio.fail_after(self._deadline_seconds):
                return await self._follow(url)
        except (httpx2.HTTPError, httpx2.InvalidURL, trio.TooSlowError, _Refused) as error:
            log.info(
                "a template could not be retrieved",
                extra={"fields": {"url": shown_url(url), "why": str(error)}},
            )
            raise URLFetchError(f"Failed to retrieve template from {url}") from None

    async def _follow(self, url: str) -> bytes:
        async with httpx2.AsyncClient(
            transport=self._transport,
            verify=await self._verification(),
            follow_redirects=False,
            timeout=None,
            headers={"User-Agent": "heat-trio", "Accept": "*/*", "Accept-Encoding": "identity"},
        ) as client:
            for _ in range(MAX_REDIRECTS + 1):
                client.cookies.clear()
                async with client.stream("GET", url) as response:
                    if not response.has_redirect_location:
                        return await self._content(response)
                    url = urljoin(url, response.headers["Location"])
                if urlsplit(url).scheme not in SCHEMES:
                    raise _Refused("a redirect to another scheme")
        raise _Refused("too many redirects")

    async def _content(self, response: httpx2.Response) -> bytes:
        if response.status_code >= 400:
            raise _Refused(f"the server answers {response.status_code}")
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise _Refused("the content is compressed")
        content = bytearray()
        async with aclosing(response.aiter_bytes()) as chunks:
            async for chunk in chunks:
                content += chunk
                if len(content) > self._limit_bytes:
                    self._too_large()
        return bytes(content)

    def _too_large(self) -> NoReturn:
        raise URLFetchError(f"Template exceeds maximum allowed size ({self._limit_bytes} bytes)")

    async def _verification(self) -> ssl.SSLContext:
        if self._certificates is None:
            # Reading the certificates of all authorities takes long.
            self._certificates = await trio.to_thread.run_sync(ssl.create_default_context)
        return self._certificates


class _Refused(Exception):
    """An answer that is none for us."""


def check_scheme(url: str) -> None:
    """Raise URLFetchError unless the URL's scheme is one that may be fetched."""
    scheme = urlsplit(url).scheme
    if scheme not in SCHEMES:
        raise URLFetchError(f"Invalid URL scheme {scheme}")


def as_text(content: bytes) -> str:
    """The text that YAML sees in the bytes: UTF-16 with a mark, else UTF-8.

    ValueError with PyYAML's text for bytes that are neither.
    """
    try:
        text = content.decode("utf-16" if content.startswith(_UTF_16_MARKS) else "utf-8")
    except UnicodeDecodeError:
        try:
            Reader(content)
        except ReaderError as error:
            raise ValueError(str(error)) from None
        raise
    return text.removeprefix("\ufeff")
