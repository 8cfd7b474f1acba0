"""What a visit reads is the same as by one query a table, in one statement."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from heat_io.database import (
    Ambient,
    Cipher,
    Database,
    counting,
    properties_data,
    resource_data,
    resources,
    stacks,
    templates,
    visits,
)


def one_by_one(connection, resource_id):
    """The same, table by table."""
    row = resources.fetch(connection, resource_id, with_properties=True, with_data=True)
    stack = stacks.fetch(connection, row.stack_id, with_deps=False, show_deleted=True)
    keys = templates.fetch_keys(connection, {row.current_template_id, stack.raw_template_id})
    return visits.Visited(row, stack, keys)


async def test_it_is_what_the_tables_hold_one_by_one(database: Database, build) -> None:
    def work(connection):
        stack = build.stack(connection, timeout=7, disable_rollback=False)
        other = build.template(connection, description="an earlier one")
        data_id = properties_data.insert(connection, {"value": "v"})
        row = build.stored(
            connection,
            stack,
            properties_data_id=data_id,
            current_template_id=other,
            requires=(3, 1),
            metadata={"k": 1},
        )
        resource_data.set_many(connection, row.id, {"one": "1", "two": "2"}, redact={"two"})
        return row.id

    row_id = await database.transaction(work)
    wanted = await database.read(lambda connection: one_by_one(connection, row_id))
    with counting(database.executor.engines) as counter:
        found = await database.read(lambda connection: visits.fetch(connection, row_id))
    assert counter.statements == 1
    assert found == wanted
    assert found.row.properties == {"value": "v"}
    assert found.row.data == {"one": "1", "two": "2"}
    assert len(found.template_keys) == 2


async def test_a_bare_row_of_a_deleted_stack(database: Database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        row = build.stored(connection, stack, current_template_id=None)
        stacks.soft_delete(connection, stack.id)
        return row.id, stack.raw_template_id

    row_id, template_id = await database.transaction(work)
    found = await database.read(lambda connection: visits.fetch(connection, row_id))
    assert found.stack.deleted_at is not None
    assert (found.row.properties, found.row.data) == (None, {})
    assert set(found.template_keys) == {template_id}


async def test_a_row_that_is_gone(database: Database) -> None:
    assert await database.read(lambda connection: visits.fetch(connection, 10**6)) is None


async def test_properties_of_old_releases_are_read(database: Database, build) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection))
        query = text("UPDATE resource SET properties_data = :data WHERE id = :id")
        connection.execute(query, {"data": '{"old": 1}', "id": row.id})
        return row.id

    row_id = await database.transaction(work)
    found = await database.read(lambda connection: visits.fetch(connection, row_id))
    assert found.row.properties == {"old": 1}


class TestEncrypted:
    """With encrypt_parameters_and_properties."""

    @pytest.fixture
    def surroundings(self, surroundings: Ambient) -> Ambient:
        return replace(surroundings, cipher=Cipher("k" * 32, encrypt_properties=True))

    async def test_properties_are_decrypted(self, database: Database, build) -> None:
        def work(connection):
            data_id = properties_data.insert(connection, {"secret": ["a", 1]})
            stack = build.stack(connection)
            return build.stored(connection, stack, properties_data_id=data_id).id

        row_id = await database.transaction(work)
        found = await database.read(lambda connection: visits.fetch(connection, row_id))
        assert found.row.properties == {"secret": ["a", 1]}
