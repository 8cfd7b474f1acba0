"""What plugins remember, on every database."""

from __future__ import annotations

from sqlalchemy import text

from heat_io.database import counting, resource_data


async def test_values_are_set_replaced_and_deleted(database, build) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection))
        resource_data.set_many(connection, row.id, {"b": "1", "a": "2", "n": None})
        resource_data.set_many(connection, row.id, {"a": "3", "c": "4"})
        first = resource_data.fetch(connection, row.id)
        resource_data.delete(connection, row.id, ["b", "unknown"])
        second = resource_data.fetch(connection, row.id)
        resource_data.set_many(connection, row.id, {})
        resource_data.delete(connection, row.id)
        return first, second, resource_data.fetch(connection, row.id)

    first, second, third = await database.transaction(work)
    assert list(first.items()) == [("b", "1"), ("a", "3"), ("n", None), ("c", "4")]
    assert list(second) == ["a", "n", "c"]
    assert third == {}


async def test_data_of_a_resource_without_any_is_only_added(database, build) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection))
        with counting([connection.engine]) as counter:
            values = {"a": "1", "b": "2"}
            resource_data.set_many(connection, row.id, values, redact={"b"}, none_there=True)
            resource_data.set_many(connection, row.id, {}, none_there=True)
        return counter.statements, resource_data.fetch(connection, row.id)

    assert await database.transaction(work) == (1, {"a": "1", "b": "2"})


async def test_redacted_values_are_sealed(database, build) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection))
        resource_data.set_many(connection, row.id, {"key": "sécret", "open": "o"}, redact={"key"})
        raw = connection.execute(
            text("SELECT value, redact, decrypt_method FROM resource_data ORDER BY id")
        ).all()
        return raw, resource_data.fetch(connection, row.id)

    (sealed, clear), found = await database.transaction(work)
    assert sealed[0].startswith("gAAAA")
    assert tuple(sealed)[1:] == (1, "cryptography_decrypt_v1")
    assert tuple(clear) == ("o", 0, "")
    assert found == {"key": "sécret", "open": "o"}


async def test_what_can_not_be_opened_is_given_as_stored(database, build, caplog) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection))
        resource_data.set_many(connection, row.id, {"a": "1", "b": "2"}, redact={"a", "b"})
        connection.execute(
            text("UPDATE resource_data SET value = 'junk', decrypt_method = :m WHERE `key` = :k"),
            [{"m": "cryptography_decrypt_v1", "k": "a"}, {"m": "heat_decrypt", "k": "b"}],
        )
        return resource_data.fetch(connection, row.id)

    assert await database.transaction(work) == {"a": "junk", "b": "junk"}
    assert [record.fields["key"] for record in caplog.records] == ["a", "b"]


async def test_many_resources_at_once(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        ids = [build.stored(connection, stack, name).id for name in "abc"]
        for number, resource_id in enumerate(ids[:2]):
            resource_data.set_many(connection, resource_id, {"n": str(number)})
        return ids, resource_data.fetch_many(connection, ids)

    ids, found = await database.transaction(work)
    assert found == {ids[0]: {"n": "0"}, ids[1]: {"n": "1"}}
    assert await database.read(lambda connection: resource_data.fetch_many(connection, [])) == {}
