"""Durations."""

import pytest

from heat_core.resources.nested.durations import duration_seconds


def test_durations() -> None:
    assert duration_seconds("PT1H30M5S") == 5405
    assert duration_seconds("PT5S") == 5
    assert duration_seconds("PT") == 0


@pytest.mark.parametrize("text", ["", "5", "P1D", "PT1.5S", "pt5s"])
def test_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match="Only ISO 8601 duration format"):
        duration_seconds(text)
