"""The table `stack_tag`: a stack's tags, in order of insertion (rules/j-encodings.md#14)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select

from heat_core.stack.ids import StackId
from heat_io.database.ambient import ambient
from heat_io.database.schema import stack_tag


def replace(connection: Connection, stack_id: StackId, tags: Sequence[str]) -> None:
    """Make `tags` the stack's tags; the rows are written anew."""
    connection.execute(stack_tag.delete().where(stack_tag.c.stack_id == stack_id))
    if tags:
        now = ambient(connection).now()
        connection.execute(
            stack_tag.insert(),
            [{"stack_id": stack_id, "tag": tag, "created_at": now} for tag in tags],
        )


def fetch(connection: Connection, stack_id: StackId) -> tuple[str, ...]:
    """The stack's tags in order."""
    return fetch_many(connection, [stack_id]).get(stack_id, ())


def fetch_many(
    connection: Connection, stack_ids: Collection[StackId]
) -> dict[StackId, tuple[str, ...]]:
    """The tags of many stacks by one statement; stacks without any are left out."""
    if not stack_ids:
        return {}
    query = (
        select(stack_tag.c.stack_id, stack_tag.c.tag)
        .where(stack_tag.c.stack_id.in_(list(stack_ids)))
        .order_by(stack_tag.c.id)
    )
    found: dict[StackId, tuple[str, ...]] = {}
    for row in connection.execute(query):
        found[row.stack_id] = (*found.get(row.stack_id, ()), row.tag)
    return found
