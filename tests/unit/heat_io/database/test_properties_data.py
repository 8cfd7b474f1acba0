"""Properties and cached attributes, on every database."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from heat_core.errors import InvalidEncryptionKey
from heat_io.database import Ambient, Cipher, InlineExecutor, properties_data

KEY = "abcdefghijklmnopqrstuvwxyz012345"


async def test_contents_come_back_by_id(database) -> None:
    def work(connection):
        ids = properties_data.insert_many(connection, [{"a": [1, "ü"]}, {}, {"b": None}])
        return ids, properties_data.fetch_many(connection, [*ids, 10**6])

    ids, found = await database.transaction(work)
    assert found == {ids[0]: {"a": [1, "ü"]}, ids[1]: {}, ids[2]: {"b": None}}
    one = await database.read(lambda connection: properties_data.fetch(connection, ids[0]))
    assert one == {"a": [1, "ü"]}
    assert await database.read(lambda c: properties_data.fetch(c, 10**6)) is None
    assert await database.read(lambda c: properties_data.fetch_many(c, [])) == {}
    query = text("SELECT data, encrypted FROM resource_properties_data ORDER BY id")
    rows = await database.read(lambda connection: connection.execute(query).all())
    assert tuple(rows[0]) == ('{"a": [1, "\\u00fc"]}', 0)


async def test_rows_are_sealed_where_the_option_says_so(memory) -> None:
    sealing = Ambient(cipher=Cipher(KEY, encrypt_properties=True))

    def work(connection):
        full, empty = properties_data.insert_many(connection, [{"a": {"b": 1}}, {}])
        raw = connection.execute(
            text("SELECT data, encrypted FROM resource_properties_data ORDER BY id")
        ).all()
        return full, empty, raw, properties_data.fetch_many(connection, [full, empty])

    full, empty, raw, found = await InlineExecutor(memory, surroundings=sealing).run(
        work, begin=True
    )
    assert json.loads(raw[0][0])["a"][0] == "cryptography_decrypt_v1"
    assert raw[0][1] == 1
    assert tuple(raw[1]) == ("{}", 0)
    assert found == {full: {"a": {"b": 1}}, empty: {}}
    wrong = Ambient(cipher=Cipher("notgood but just long enough i t"))
    with pytest.raises(InvalidEncryptionKey):
        await InlineExecutor(memory, surroundings=wrong).run(
            lambda connection: properties_data.fetch(connection, full), begin=False
        )
    with pytest.raises(AssertionError, match="no cipher"):
        await InlineExecutor(memory, surroundings=Ambient()).run(
            lambda connection: properties_data.fetch(connection, full), begin=False
        )


async def test_deleting_ignores_what_is_not_there(database) -> None:
    def work(connection):
        kept, gone = properties_data.insert_many(connection, [{"a": 1}, {"b": 2}])
        properties_data.delete(connection, [None, gone])
        properties_data.delete_unreferenced(connection, [None])
        return set(properties_data.fetch_many(connection, [kept, gone])) == {kept}

    assert await database.transaction(work)
