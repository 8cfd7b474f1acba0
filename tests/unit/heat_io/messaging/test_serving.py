from __future__ import annotations

from heat_io.messaging.serving import RecentIds


def test_recent_ids_forget_the_oldest() -> None:
    recent = RecentIds(2)
    assert [recent.seen(i) for i in ("a", "a", "b", "c")] == [False, True, False, False]
    assert recent.seen("c") is True
    assert recent.seen("a") is False


def test_messages_without_an_id_are_all_new() -> None:
    recent = RecentIds(2)
    assert recent.seen("") is False
    assert recent.seen("") is False
