"""Templates fetched for a definition."""

from pathlib import Path

import pytest
import trio

from heat_core.errors import URLFetchError
from heat_core.template import Downloads, FetchFailed
from heat_io.fetching import fetch_missing
from heat_io.fetching.downloads import AT_ONCE, MOST


def missing(*addresses: str, schemes: tuple[str, ...] = ("http", "https")) -> Downloads:
    downloads = Downloads()
    for address in addresses:
        with pytest.raises(FetchFailed):
            downloads.get(address, schemes)
    return downloads


async def nobody(url: str) -> bytes:
    raise AssertionError(f"{url} is not to be fetched")


async def test_what_is_missing_is_fetched() -> None:
    downloads = missing("http://h/a", "http://h/b", "http://h/c")

    async def fetch(url: str) -> bytes:
        if url.endswith("b"):
            raise URLFetchError(f"Failed to retrieve template from {url}")
        return b"\xff" if url.endswith("c") else "text é".encode()

    await fetch_missing(downloads, fetch)
    assert downloads.missing == {}
    assert downloads.contents == {"http://h/a": "text é"}
    with pytest.raises(FetchFailed, match="Failed to retrieve template from http://h/b"):
        downloads.get("http://h/b")
    with pytest.raises(FetchFailed, match=r"unacceptable|invalid|codec"):
        downloads.get("http://h/c")


async def test_not_too_many_at_once_and_not_too_many_at_all(
    autojump_clock: trio.testing.MockClock,
) -> None:
    downloads = missing(*(f"http://h/{number}" for number in range(MOST + 5)))
    running, most = 0, 0

    async def fetch(url: str) -> bytes:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await trio.sleep(1)
        running -= 1
        return b"text"

    await fetch_missing(downloads, fetch)
    assert most == AT_ONCE
    assert len(downloads.contents) == MOST
    with pytest.raises(FetchFailed, match="There are more than 100 templates"):
        downloads.get(f"http://h/{MOST + 1}")


async def test_files_of_the_operator(tmp_path: Path) -> None:
    (tmp_path / "a b.yaml").write_text("text")
    known, gone = f"file://{tmp_path}/a%20b.yaml", f"file://{tmp_path}/gone.yaml"
    downloads = missing(known, gone, schemes=("http", "https", "file"))
    await fetch_missing(downloads, nobody)
    assert downloads.contents == {known: "text"}
    with pytest.raises(FetchFailed, match=r"Failed to retrieve template: .*No such file"):
        downloads.get(gone, ("file",))

    downloads = missing(known, schemes=("file",))
    await fetch_missing(downloads, nobody, limit_bytes=3)
    with pytest.raises(FetchFailed, match=r"exceeds maximum allowed size \(3 bytes\)"):
        downloads.get(known, ("file",))
