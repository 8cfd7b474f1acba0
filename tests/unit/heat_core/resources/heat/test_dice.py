from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heat_core.procedure import Entropy, Finished, ProcedureIO, ProcedureRun
from heat_core.resources.heat.dice import Dice


def draw(procedure: Any, words: Iterator[int]) -> Any:
    """Steps a draw; every word of four bytes is taken from `words`."""
    run = ProcedureRun(procedure)
    state = run.start()
    while not isinstance(state, Finished):
        assert isinstance(state, Entropy)
        given = b"".join(next(words).to_bytes(4) for _ in range(state.size // 4))
        state = run.answer(given)
    return state.value


def repeated(*words: int) -> Iterator[int]:
    while True:
        yield from words


def test_a_word_that_would_favour_small_numbers_is_thrown_away() -> None:
    # 2**32 is 1 more than a multiple of 3: the last word alone would count 0 once too often.
    assert draw(Dice(ProcedureIO()).below(3), repeated(2**32 - 1, 5)) == 2


def test_all_numbers_of_a_power_of_two_use_every_word() -> None:
    assert draw(Dice(ProcedureIO()).below(4), repeated(2**32 - 1)) == 3


def test_every_outcome_is_equally_frequent_over_all_small_words() -> None:
    dice = Dice(ProcedureIO())

    async def many() -> list[int]:
        return [await dice.below(5) for _ in range(1000)]

    drawn = draw(many(), iter(range(100_000)))
    assert {number: drawn.count(number) for number in range(5)} == dict.fromkeys(range(5), 200)


def test_shuffling_keeps_the_members() -> None:
    members = list("abcdefgh")
    shuffled = draw(Dice(ProcedureIO()).shuffled(members), iter(range(7, 100_000, 13)))

    assert sorted(shuffled) == members
    assert shuffled != members


def test_fractions_are_below_one() -> None:
    assert draw(Dice(ProcedureIO()).fraction(), repeated(0)) == 0.0
    assert 0.999 < draw(Dice(ProcedureIO()).fraction(), repeated(2**32 - 1)) < 1
