"""Fetching templates: limits, redirects, and the texts for users."""

from collections.abc import AsyncIterator, Callable, Mapping

import httpx2
import pytest
import trio
import trio.testing

from heat_core.errors import URLFetchError
from heat_io.fetching import TemplateFetcher, as_text

type Answer = Callable[[httpx2.Request], httpx2.Response]


def _fetcher(answer: Answer, limit_bytes: int = 100) -> TemplateFetcher:
    return TemplateFetcher(limit_bytes=limit_bytes, transport=httpx2.MockTransport(answer))


def _web(pages: Mapping[str, httpx2.Response]) -> Answer:
    return lambda request: pages[str(request.url)]


def _redirect(target: str) -> httpx2.Response:
    return httpx2.Response(302, headers={"Location": target, "Set-Cookie": "c=1"})


async def _refusal(fetcher: TemplateFetcher, url: str) -> str:
    with pytest.raises(URLFetchError) as caught:
        await fetcher.fetch(url)
    return str(caught.value)


async def test_content_comes_back_as_it_is() -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, content=b"heat_template_version: \xff")

    assert await _fetcher(answer).fetch("http://h/t") == b"heat_template_version: \xff"
    assert seen[0].headers["Accept-Encoding"] == "identity"
    assert "Authorization" not in seen[0].headers


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://h/t", "nothing", ""])
async def test_only_some_schemes(url: str) -> None:
    scheme = url.partition(":")[0] if ":" in url else ""
    assert await _refusal(_fetcher(_web({})), url) == f"Invalid URL scheme {scheme}"


async def test_redirects_are_followed_without_cookies() -> None:
    seen: list[httpx2.Request] = []
    pages = {
        "http://h/a": _redirect("/b"),
        "http://h/b": _redirect("https://other/c"),
        "https://other/c": httpx2.Response(200, content=b"there"),
    }

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return pages[str(request.url)]

    assert await _fetcher(answer).fetch("http://h/a") == b"there"
    assert all("Cookie" not in request.headers for request in seen)


async def test_redirects_have_their_own_limits() -> None:
    failed = "Failed to retrieve template from http://h/a"
    assert await _refusal(_fetcher(_web({"http://h/a": _redirect("file:///x")})), "http://h/a") == (
        failed
    )
    assert await _refusal(_fetcher(lambda _: _redirect("/a")), "http://h/a") == failed


@pytest.mark.parametrize("status", [404, 500])
async def test_errors_of_the_server(status: int) -> None:
    fetcher = _fetcher(lambda _: httpx2.Response(status, content=b"x"))
    assert await _refusal(fetcher, "http://h/t") == "Failed to retrieve template from http://h/t"


async def test_no_server() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    assert await _refusal(_fetcher(answer), "http://h/t") == (
        "Failed to retrieve template from http://h/t"
    )


async def test_reading_stops_at_the_limit() -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 10
            yield b"0123456789"

    fetcher = _fetcher(lambda _: httpx2.Response(200, content=endless()))
    assert await _refusal(fetcher, "http://h/t") == (
        "Template exceeds maximum allowed size (100 bytes)"
    )
    assert sent == 110


async def test_what_is_compressed_is_not_expanded() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        stream = httpx2.ByteStream(b"x")
        return httpx2.Response(200, headers={"Content-Encoding": "gzip"}, stream=stream)

    assert await _refusal(_fetcher(answer), "http://h/t") == (
        "Failed to retrieve template from http://h/t"
    )


async def test_time_is_limited(autojump_clock: trio.testing.MockClock) -> None:
    async def answer(request: httpx2.Request) -> httpx2.Response:
        await trio.sleep_forever()
        raise AssertionError("never")

    fetcher = TemplateFetcher(deadline_seconds=3, transport=httpx2.MockTransport(answer))
    began = trio.current_time()
    assert await _refusal(fetcher, "http://h/t") == "Failed to retrieve template from http://h/t"
    assert trio.current_time() - began == pytest.approx(3)


def test_text() -> None:
    assert as_text("ä: ö".encode()) == "ä: ö"
    assert as_text(b"\xef\xbb\xbfa: b") == "a: b"
    assert as_text("ä: ö".encode("utf-16")) == "ä: ö"
    with pytest.raises(ValueError, match="unacceptable character #x00ff"):
        as_text(b"a: \xff")
