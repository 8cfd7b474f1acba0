"""Templates behind URLs that users name."""

from heat_io.fetching.fetcher import TemplateFetcher, as_text

__all__ = ["TemplateFetcher", "as_text"]
