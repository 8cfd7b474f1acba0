"""Templates behind URLs that users name."""

from heat_io.fetching.downloads import Fetch, fetch_missing
from heat_io.fetching.fetcher import TemplateFetcher, as_text

__all__ = ["Fetch", "TemplateFetcher", "as_text", "fetch_missing"]
