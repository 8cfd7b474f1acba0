"""One seed's worth of each kind of search."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, seed, settings

from tests.fuzz.answers import WAYS, command, preview_of_update
from tests.fuzz.templates import Whole, wholes
from tests.fuzz.texts import check_text, mutated

TEXTS_A_SEED = 1000


def run_templates(number: int, count: int) -> None:
    """`count` templates through every way, half as many updates of sound ones. Raises the first.

    A failure is Hypothesis's, with the smallest template that it has found.
    """
    of_seed = settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )

    with tempfile.TemporaryDirectory() as folder:

        @seed(number)
        @of_seed
        @given(wholes())
        def every_way(whole: Whole) -> None:
            for way in WAYS:
                way(whole)
            command(whole, Path(folder))

        every_way()

    @seed(number)
    @settings(of_seed, max_examples=max(count // 2, 1))
    @given(wholes(sound=True), wholes(sound=True))
    def updates(before: Whole, after: Whole) -> None:
        preview_of_update(before, after)

    updates()


def run_texts(number: int, texts: Sequence[str], count: int = TEXTS_A_SEED) -> int:
    """How many of `count` texts of a seed are read. Raises the first failure, with the text."""
    random = Random(number)
    return sum(check_text(mutated(random, texts)) for _ in range(count))
