"""Lists of stacks, on every database."""

from __future__ import annotations

import pytest

from heat_core.stack.states import Status
from heat_io.database import Page, StackQuery, UnknownFilter, stack_lists, stacks, tags


def prepare(connection, build) -> dict[str, str]:
    """Six stacks of p1, among them one nested, one backup, one deleted, and one of p2."""
    made = {}
    for name, fields, tagged in (
        ("a", {}, ["red", "blue"]),
        ("b", {"status": Status.FAILED}, ["red"]),
        ("c", {"timeout": 5, "username": "bob"}, ["hidden"]),
        ("d", {}, []),
        ("other", {"tenant": "p2"}, ["red"]),
    ):
        made[name] = build.stack(connection, name, **fields).id
        tags.replace(connection, made[name], tagged)
    made["child"] = build.stack(connection, "child", owner_id=made["a"]).id
    made["backup"] = build.stack(connection, "a*", owner_id=made["a"], backup=True).id
    made["gone"] = build.stack(connection, "gone").id
    stacks.soft_delete(connection, made["gone"])
    stacks.update(
        connection, made["b"], {"updated_at": stacks.fetch(connection, made["b"]).created_at}
    )
    return made


async def names(database, tenant: str | None = "p1", **fields) -> list[str]:
    page = Page(**{key: fields.pop(key) for key in list(fields) if key in Page.__slots__})
    query = StackQuery(tenant, page=page, **fields)
    found = await database.read(lambda c: stack_lists.list_stacks(c, query))
    counted = await database.read(lambda c: stack_lists.count_stacks(c, query))
    if page.limit is None and page.marker is None:
        assert counted == len(found)
    return [record.name for record in found]


async def test_which_stacks_are_seen(database, build) -> None:
    await database.transaction(lambda connection: prepare(connection, build))
    assert await names(database) == ["d", "c", "b", "a"]
    assert await names(database, "p2") == ["other"]
    assert await names(database, None) == ["other", "d", "c", "b", "a"]
    assert await names(database, show_deleted=True) == ["gone", "d", "c", "b", "a"]
    assert await names(database, show_nested=True) == ["child", "d", "c", "b", "a"]
    assert await names(database, hidden_tags=["hidden"]) == ["d", "b", "a"]
    live = await database.read(lambda c: stack_lists.count_live(c, "p1", ["hidden"]))
    assert live == 3


async def test_tags(database, build) -> None:
    await database.transaction(lambda connection: prepare(connection, build))
    assert await names(database, tags=["red"]) == ["b", "a"]
    assert await names(database, tags=["red", "blue"]) == ["a"]
    assert await names(database, tags_any=["blue", "hidden"]) == ["c", "a"]
    assert await names(database, not_tags=["red", "blue"]) == ["d", "c", "b"]
    assert await names(database, not_tags_any=["red", "blue"]) == ["d", "c"]
    assert await names(database, tags=["red"], not_tags_any=["blue"]) == ["b"]


async def test_filters(database, build) -> None:
    ids = await database.transaction(lambda connection: prepare(connection, build))
    assert await names(database, filters={"name": "a"}) == ["a"]
    assert await names(database, filters={"name": ["a", "d", "x"]}) == ["d", "a"]
    assert await names(database, filters={"status": Status.FAILED}) == ["b"]
    assert await names(database, filters={"status": []}) == []
    assert await names(database, filters={"id": ids["c"], "timeout": 5}) == ["c"]
    assert await names(database, filters={"username": None}) == ["d", "b", "a"]
    with pytest.raises(UnknownFilter, match="stack_name"):
        await names(database, filters={"stack_name": "a"})


async def test_sorting(database, build) -> None:
    await database.transaction(lambda connection: prepare(connection, build))
    assert await names(database, sort_keys=["stack_name"]) == ["a", "b", "c", "d"]
    assert await names(database, sort_keys=["stack_name"], sort_dir="desc") == list("dcba")
    assert await names(database, sort_keys=["nonsense"]) == ["d", "c", "b", "a"]
    assert await names(database, sort_dir="asc") == ["a", "b", "c", "d"]
    last = await names(database, sort_keys=["updated_time"], sort_dir="asc-nullslast")
    assert last[0] == "b"
    first = await names(database, sort_keys=["updated_time"], sort_dir="desc-nullsfirst")
    assert first[-1] == "b"
    with pytest.raises(ValueError, match="Unknown sort direction, must be one of: asc, desc, "):
        await names(database, sort_dir="up")


async def test_pages(database, build) -> None:
    ids = await database.transaction(lambda connection: prepare(connection, build))
    assert await names(database, limit=2) == ["d", "c"]
    assert await names(database, limit=2, marker=ids["c"]) == ["b", "a"]
    assert await names(database, marker=ids["a"]) == []
    assert await names(database, marker="unknown") == ["d", "c", "b", "a"]
    assert await names(database, limit=0) == []
    assert await names(database, sort_keys=["stack_status", "stack_name"], marker=ids["b"]) == [
        "a",
        "c",
        "d",
    ]


@pytest.mark.parametrize(
    "direction",
    ["asc", "desc", "asc-nullslast", "desc-nullsfirst", "asc-nullsfirst", "desc-nullslast"],
)
async def test_pages_through_nulls_see_every_row_once(database, build, direction: str) -> None:
    ids = await database.transaction(lambda connection: prepare(connection, build))
    names_of = {value: key for key, value in ids.items()}
    whole = await names(database, sort_keys=["updated_time"], sort_dir=direction)
    seen: list[str] = []
    marker = None
    while True:
        query = StackQuery("p1", page=Page(["updated_time"], direction, marker, 1))
        found = await database.read(lambda c, query=query: stack_lists.list_stacks(c, query))
        if not found:
            break
        marker = found[0].id
        seen.append(names_of[marker])
        assert len(seen) <= len(whole)
    assert seen == whole
