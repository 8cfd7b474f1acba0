"""Tags, on every database."""

from __future__ import annotations

from heat_io.database import tags


async def test_tags_keep_their_order_and_are_replaced_as_a_whole(database, build) -> None:
    def work(connection):
        one, two = build.stack(connection, "1"), build.stack(connection, "2")
        tags.replace(connection, one.id, ["b", "a"])
        tags.replace(connection, two.id, ["ü"])
        first = tags.fetch(connection, one.id)
        many = tags.fetch_many(connection, [one.id, two.id, "none"])
        tags.replace(connection, one.id, [])
        return one.id, two.id, first, many, tags.fetch(connection, one.id)

    one, two, first, many, after = await database.transaction(work)
    assert first == ("b", "a")
    assert many == {one: ("b", "a"), two: ("ü",)}
    assert after == ()
    assert await database.read(lambda connection: tags.fetch_many(connection, [])) == {}
