"""Templates and their files, on every database."""

from __future__ import annotations

import json

from sqlalchemy import text

from heat_io.database import Ambient, Cipher, InlineExecutor, resource_removal, templates

KEY = "abcdefghijklmnopqrstuvwxyz012345"


async def test_a_template_comes_back_as_it_was(database) -> None:
    template = {"heat_template_version": "2018-08-31", "b": {"ü": [1, None]}, "a": 1}
    environment = {"parameters": {"p": "x"}, "encrypted_param_names": []}

    def work(connection):
        record = templates.insert(connection, template, environment, {"f": "content"})
        return record, templates.fetch(connection, record.id)

    made, found = await database.transaction(work)
    assert found == made
    assert list(found.template) == ["heat_template_version", "b", "a"]
    files = await database.read(lambda connection: templates.fetch_files(connection, found))
    assert files == {"f": "content"}
    assert await database.read(lambda connection: templates.fetch(connection, 10**6)) is None


async def test_a_template_without_files_has_no_files_row(database) -> None:
    def work(connection):
        record = templates.insert(connection, {}, {}, {})
        return record, templates.fetch_files(connection, record)

    record, files = await database.transaction(work)
    assert (record.files_id, files) == (None, {})
    query = text("SELECT files, environment FROM raw_template")
    row = await database.read(lambda connection: connection.execute(query).one())
    assert tuple(row) == ("null", "{}")


async def test_files_in_the_templates_own_row_are_read(database) -> None:
    def work(connection):
        record = templates.insert(connection, {}, {})
        connection.execute(text("""UPDATE raw_template SET files = '{"old": "x"}'"""))
        return templates.fetch_files(connection, record)

    assert await database.transaction(work) == {"old": "x"}


async def test_shared_files_go_with_the_last_template(database) -> None:
    count = text("SELECT count(*) FROM raw_template_files")

    def work(connection):
        first = templates.insert(connection, {}, {}, {"f": "x"})
        second = templates.insert(connection, {}, {}, files_id=first.files_id)
        left = []
        for record in (first, second):
            templates.delete(connection, record.id)
            left.append(connection.execute(count).scalar())
        templates.delete(connection, second.id)
        return left, second.files_id == first.files_id

    assert await database.transaction(work) == ([1, 0], True)


async def test_only_what_nothing_refers_to_is_deleted(database, build) -> None:
    def work(connection):
        ids = [build.template(connection) for _ in range(4)]
        stack = build.stack(connection, raw_template_id=ids[0], prev_raw_template_id=ids[1])
        build.stored(connection, stack, current_template_id=ids[2])
        return ids, templates.delete_unreferenced(connection, [*ids, 10**6])

    ids, deleted = await database.transaction(work)
    assert deleted == {ids[3], 10**6}
    assert await database.transaction(lambda c: templates.delete_unreferenced(c, [])) == set()


async def test_the_cache_key_changes_with_the_row(database) -> None:
    def work(connection):
        record = templates.insert(connection, {}, {}, {"f": "x"})
        before = templates.fetch_key(connection, record.id)
        connection.execute(
            text("UPDATE raw_template SET updated_at = '2026-01-01 00:00:00.000000'")
        )
        return record, before, templates.fetch_key(connection, record.id)

    record, before, after = await database.transaction(work)
    assert before == (record.id, record.created_at, None, record.files_id)
    assert after != before
    assert await database.read(lambda connection: templates.fetch_key(connection, 10**6)) is None


async def test_secret_parameters_are_sealed_where_the_option_says_so(memory) -> None:
    sealing = Ambient(cipher=Cipher(KEY, encrypt_properties=True))
    parameters = {"secret": "sécret", "list": [1], "none": None, "open": "o"}
    environment = {"parameters": parameters, "encrypted_param_names": ["before"]}

    def work(connection):
        names = {"secret", "list", "none", "not there"}
        record = templates.insert(connection, {}, environment, secret_parameters=names)
        raw = connection.execute(text("SELECT environment FROM raw_template")).scalar()
        return record, json.loads(raw), templates.fetch(connection, record.id)

    executor = InlineExecutor(memory, surroundings=sealing)
    made, raw, found = await executor.run(work, begin=True)
    method, token = raw["parameters"]["secret"]
    # The text itself, not its JSON.
    assert Cipher(KEY).decrypt(method, token) == "sécret"
    assert raw["parameters"]["none"] == [None, None]
    assert raw["parameters"]["open"] == "o"
    assert raw["encrypted_param_names"] == ["secret", "list", "none"]
    assert made.environment["parameters"] == parameters
    assert found.environment == made.environment | {"parameters": parameters | {"list": "[1]"}}


async def test_parameters_that_are_no_pairs_are_clear(database) -> None:
    def work(connection):
        record = templates.insert(connection, {}, {"parameters": {"p": "clear", "q": [1]}})
        stored = (
            '{"parameters": {"p": "clear", "q": [1]}, "encrypted_param_names": ["p", "q", "z"]}'
        )
        connection.execute(text("UPDATE raw_template SET environment = :e"), {"e": stored})
        return templates.fetch(connection, record.id).environment["parameters"]

    assert await database.transaction(work) == {"p": "clear", "q": [1]}


async def test_nothing_is_sealed_while_the_option_is_off(database) -> None:
    environment = {"parameters": {"p": "clear"}, "encrypted_param_names": ["p"]}

    def work(connection):
        record = templates.insert(connection, {}, environment, secret_parameters={"p"})
        return templates.fetch(connection, record.id).environment

    assert await database.transaction(work) == environment | {"encrypted_param_names": []}


async def test_purging_rows_takes_their_templates_along(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        old = build.template(connection)
        gone = {"action": "DELETE", "status": "COMPLETE"}
        build.stored(connection, stack, "a", current_template_id=old, **gone)
        build.stored(connection, stack, "b", **gone)
        build.stored(connection, stack, "c")
        count = resource_removal.purge_deleted(connection, stack.id)
        return (
            count,
            templates.fetch(connection, old),
            templates.fetch(connection, stack.raw_template_id) is not None,
        )

    assert await database.transaction(work) == (2, None, True)
