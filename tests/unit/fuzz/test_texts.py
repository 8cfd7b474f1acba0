"""Texts with bytes changed are read, and alike, or refused as the user's mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from heat_core.documents import load_yaml
from tests.fuzz.runs import TEXTS_A_SEED, run_texts
from tests.fuzz.texts import SNIPPETS, check_text, corpus


@pytest.mark.parametrize("seed", range(1, 4))
def test_fixed_seeds(seed: int) -> None:
    read = run_texts(seed, corpus(None))
    assert TEXTS_A_SEED / 10 < read < TEXTS_A_SEED, "all alike: nothing was looked for"


@pytest.mark.parametrize("seed", range(1, 4))
def test_fixed_seeds_of_recorded_texts(seed: int, shared: Path) -> None:
    read = run_texts(seed, corpus(shared))
    assert TEXTS_A_SEED / 10 < read < TEXTS_A_SEED, "all alike: nothing was looked for"


def test_each_snippet_alone_and_as_a_value() -> None:
    read = [
        check_text(text) for one in SNIPPETS for text in (one, f"a: {one}", f"a: {one}\nb: c\n")
    ]
    assert any(read)
    assert not all(read)


def test_half_of_a_surrogate_pair_has_a_text_for_people() -> None:
    with pytest.raises(ValueError, match="special characters are not allowed") as caught:
        load_yaml("a: \ud800b\n")
    assert type(caught.value) is ValueError
