"""Durations as CloudFormation writes them."""

from __future__ import annotations

import re
from typing import Final

_DURATION: Final = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$")


def duration_seconds(text: str) -> int:
    """Seconds of a text such as PT1H30M5S. ValueError for years, months, weeks and days."""
    found = _DURATION.match(text)
    if found is None:
        raise ValueError("Only ISO 8601 duration format of the form PT#H#M#S is supported.")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return 3600 * hours + 60 * minutes + seconds
