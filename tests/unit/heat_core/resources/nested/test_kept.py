"""The store of classes made of templates."""

from heat_core.resources.nested.kept import Kept


def test_the_least_recently_used_goes_first() -> None:
    kept: Kept[str, int] = Kept(limit=10)
    kept.put("a", 1, cost=4)
    kept.put("b", 2, cost=4)
    assert kept.get("a") == 1
    kept.put("c", 3, cost=4)
    assert kept.get("b") is None
    assert (kept.get("a"), kept.get("c")) == (1, 3)
    assert len(kept) == 2


def test_what_costs_more_than_all_is_not_kept() -> None:
    kept: Kept[str, int] = Kept(limit=10)
    kept.put("a", 1, cost=11)
    assert kept.get("a") is None
    assert len(kept) == 0


def test_the_first_value_of_a_key_stays() -> None:
    kept: Kept[str, int] = Kept(limit=10)
    kept.put("a", 1, cost=4)
    kept.put("a", 2, cost=9)
    kept.put("b", 3, cost=6)
    assert (kept.get("a"), kept.get("b")) == (1, 3)
