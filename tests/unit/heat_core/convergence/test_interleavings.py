"""Small stacks in every order of events: late, twice, lost; superseded, crashed, failed."""

from __future__ import annotations

import pytest
from small_world import Budget, Template, Wanted, World, walk

from heat_core.stack.states import Status

ONE: Template = {"a": Wanted()}
ONE_REPLACED: Template = {"a": Wanted(kind=1)}
CHAIN: Template = {"a": Wanted(), "b": Wanted(("a",))}
CHAIN_REPLACED: Template = {"a": Wanted(kind=1), "b": Wanted(("a",), value=1)}
CHAIN_CUT: Template = {"b": Wanted(value=1)}
FAN_IN: Template = {"a": Wanted(), "b": Wanted(), "c": Wanted(("a", "b"))}
DIAMOND: Template = {
    "a": Wanted(),
    "b": Wanted(("a",)),
    "c": Wanted(("a",)),
    "d": Wanted(("b", "c")),
}

CASES: dict[str, tuple[tuple[Template, ...], Budget]] = {
    "one, superseded by its replacement": ((ONE, ONE_REPLACED), Budget(duplicates=1)),
    "one, an engine ends": ((ONE, ONE_REPLACED), Budget(crashes=1)),
    "two in a chain, each message twice or lost": ((CHAIN,), Budget(duplicates=2, losses=1)),
    "two in a chain, an engine ends twice": ((CHAIN,), Budget(crashes=2)),
    "two in a chain, one fails": ((CHAIN, CHAIN), Budget(failures=1)),
    "two in a chain, superseded": ((CHAIN, CHAIN_REPLACED), Budget()),
    "two in a chain, the first removed": ((CHAIN, CHAIN_CUT), Budget(losses=1)),
    "two in a chain, superseded, an engine ends": ((CHAIN, CHAIN_REPLACED), Budget(crashes=1)),
    "three, two needed by one": ((FAN_IN,), Budget(duplicates=1, losses=1)),
    "four in a diamond": ((DIAMOND,), Budget(duplicates=1, losses=1)),
}


@pytest.mark.parametrize("case", CASES)
def test_every_order_comes_to_an_end_that_is_right(case: str) -> None:
    templates, budget = CASES[case]
    worlds, ends = walk(World(templates, budget))
    assert worlds > 20
    assert any(end.stack.status is Status.COMPLETE for end in ends)
    # Only a failure of the plugin fails a stack.
    assert budget.failures or all(end.stack.status is Status.COMPLETE for end in ends)
