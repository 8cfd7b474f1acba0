"""Parsed stacks and graphs are kept: parsed once, known by what they were parsed from, bounded."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import trio
from site_of_tests import NOW, TRAVERSAL, Site, a_test_resource
from sqlalchemy import Connection

from heat_core.convergence import Node
from heat_core.errors import EntityNotFound
from heat_core.graph import Graph
from heat_core.stack import StackDefinition
from heat_core.stack.ids import StackId, TemplateId, TraversalId
from heat_core.stack.records import StackRecord
from heat_io.database import Database, stacks, templates
from heat_io.database.schema import raw_template
from heat_io.drivers import definitions as module
from heat_io.drivers.definitions import Definitions, Graphs, LeastRecentlyUsed

# --- the bound ---------------------------------------------------------------------------------


def test_what_was_not_asked_for_the_longest_goes_first() -> None:
    kept: LeastRecentlyUsed[str, int] = LeastRecentlyUsed(3)
    for key in "abc":
        kept.put(key, ord(key), 1)
    assert kept.get("a") == ord("a")
    kept.put("d", 4, 1)
    assert [kept.get(key) for key in "abcd"] == [97, None, 99, 4]


def test_large_things_push_out_several() -> None:
    kept: LeastRecentlyUsed[str, int] = LeastRecentlyUsed(3)
    for key in "abc":
        kept.put(key, 1, 1)
    kept.put("d", 2, 2)
    assert [kept.get(key) for key in "abcd"] == [None, None, 1, 2]


def test_the_newest_stays_even_when_it_is_too_large() -> None:
    kept: LeastRecentlyUsed[str, int] = LeastRecentlyUsed(3)
    kept.put("a", 1, 1)
    kept.put("b", 2, 100)
    assert kept.get("a") is None
    assert kept.get("b") == 2
    kept.put("c", 3, 1)
    assert kept.get("b") is None
    assert kept.get("c") == 3


def test_a_new_value_takes_the_old_ones_place_and_size() -> None:
    kept: LeastRecentlyUsed[str, int] = LeastRecentlyUsed(4)
    kept.put("a", 1, 3)
    kept.put("a", 2, 1)
    kept.put("b", 3, 3)
    assert (kept.get("a"), kept.get("b")) == (2, 3)


# --- definitions -------------------------------------------------------------------------------


@pytest.fixture
def definitions(database: Database) -> Definitions:
    return Definitions(database)


async def test_a_definition_is_for_its_stack(definitions: Definitions, site: Site) -> None:
    stack = site.stack({"a": a_test_resource(value={"get_param": "OS::stack_name"})})
    definition = await definitions.for_stack(stack)
    assert (definition.name, definition.id, definition.project_id) == ("st", stack.id, "tenant")
    assert definition.resolve(definition.resources["a"].properties) == {"value": "st"}


async def test_it_is_parsed_once_however_many_ask_at_once(
    definitions: Definitions, site: Site
) -> None:
    stack = site.stack({"a": a_test_resource()})
    found: list[StackDefinition] = []

    async def ask() -> None:
        found.append(await definitions.for_stack(stack))

    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(ask)
    assert definitions.parses == 1
    assert len({id(definition) for definition in found}) == 1
    await definitions.for_stack(stack)
    assert definitions.parses == 1


async def test_another_traversal_of_the_same_template_does_not_parse(
    definitions: Definitions, site: Site
) -> None:
    stack = site.stack({"a": a_test_resource()})
    first = await definitions.for_stack(stack)
    moved = replace(stack, current_traversal=TraversalId("next"), updated_at=NOW)
    assert await definitions.for_stack(moved) is first


async def test_stacks_and_names_do_not_share(definitions: Definitions, site: Site) -> None:
    template_id = site.template({"a": a_test_resource()})
    first = site.stack(raw_template_id=template_id)
    second = site.stack(raw_template_id=template_id)
    assert await definitions.for_stack(first) is not await definitions.for_stack(second)
    renamed = replace(first, name="renamed")
    assert (await definitions.for_stack(renamed)).name == "renamed"


async def test_a_row_that_was_rewritten_is_parsed_anew(
    definitions: Definitions, site: Site
) -> None:
    # Re-encryption of parameters rewrites rows in place.
    stack = site.stack({"a": a_test_resource()})
    first = await definitions.for_stack(stack)

    def rewrite(connection: Connection) -> None:
        connection.execute(
            raw_template.update()
            .where(raw_template.c.id == stack.raw_template_id)
            .values(updated_at=NOW + timedelta(seconds=1))
        )

    site.write(rewrite)
    assert await definitions.for_stack(stack) is not first
    assert definitions.parses == 2


async def test_an_id_that_came_back_is_another_template(
    definitions: Definitions, site: Site
) -> None:
    # SQLite gives the id of a deleted last row to the next one.
    stack = site.stack({"a": a_test_resource()})
    other_id = site.template({"b": a_test_resource()})
    assert list(await _resources(definitions, stack, other_id)) == ["b"]

    def again(connection: Connection) -> TemplateId:
        templates.delete(connection, other_id)
        document = {"heat_template_version": "2018-08-31", "resources": {"c": a_test_resource()}}
        new_id = templates.insert(connection, document, {"parameters": {}}).id
        connection.execute(
            raw_template.update()
            .where(raw_template.c.id == new_id)
            .values(created_at=NOW + timedelta(seconds=1))
        )
        return new_id

    assert site.write(again) == other_id
    assert list(await _resources(definitions, stack, other_id)) == ["c"]


async def _resources(
    definitions: Definitions, stack: StackRecord, template_id: TemplateId
) -> list[str]:
    found = await definitions.for_template(stack, template_id)
    assert found is not None
    return list(found.resources)


async def test_files_are_part_of_it(definitions: Definitions, site: Site) -> None:
    def unit(connection: Connection) -> TemplateId:
        document = {
            "heat_template_version": "2018-08-31",
            "resources": {"a": a_test_resource(value={"get_file": "f"})},
        }
        return templates.insert(connection, document, {"parameters": {}}, {"f": "text"}).id

    stack = site.stack(raw_template_id=site.write(unit))
    definition = await definitions.for_stack(stack)
    assert definition.resolve(definition.resources["a"].properties) == {"value": "text"}


async def test_a_template_that_is_gone(definitions: Definitions, site: Site) -> None:
    stack = site.stack()
    assert await definitions.for_template(stack, TemplateId(999)) is None
    with pytest.raises(EntityNotFound, match="999"):
        await definitions.for_stack(replace(stack, raw_template_id=TemplateId(999)))


async def test_a_template_that_goes_while_it_is_read(
    definitions: Definitions, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = site.stack()
    monkeypatch.setattr(templates, "fetch", lambda *_: None)
    assert await definitions.for_template(stack, stack.raw_template_id) is None
    assert definitions.parses == 0


async def test_a_parse_that_fails_fails_for_its_caller_and_is_tried_again_by_others(
    definitions: Definitions, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = site.stack({"a": a_test_resource()})
    build = module.build_definition
    outcomes: list[str] = []

    def fails_once(*arguments: Any) -> StackDefinition:
        monkeypatch.setattr(module, "build_definition", build)
        raise ValueError("bad luck")

    async def ask() -> None:
        try:
            await definitions.for_stack(stack)
            outcomes.append("parsed")
        except ValueError:
            outcomes.append("failed")

    monkeypatch.setattr(module, "build_definition", fails_once)
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(ask)
    assert sorted(outcomes) == ["failed", "parsed", "parsed", "parsed", "parsed"]


async def test_the_cache_is_bounded_in_bytes(database: Database, site: Site) -> None:
    text = "x" * 1000
    made = [site.stack({"a": a_test_resource(value=text)}) for _ in range(3)]
    small = Definitions(database, limit_bytes=20_000)  # room for two of them
    for stack in (*made, *made):
        await small.for_stack(stack)
    assert small.parses == 6
    large = Definitions(database, limit_bytes=200_000)
    for stack in (*made, *made):
        await large.for_stack(stack)
    assert large.parses == 3


# --- graphs ------------------------------------------------------------------------------------

GRAPH = Graph.from_edges([(Node(2, True), Node(1, True))])


def test_a_graph_is_known_by_its_traversal() -> None:
    graphs = Graphs()
    graphs.keep(StackId("s"), TRAVERSAL, GRAPH)
    assert graphs.known(StackId("s"), TRAVERSAL) is GRAPH
    assert graphs.known(StackId("s"), TraversalId("other")) is None
    assert graphs.known(StackId("t"), TRAVERSAL) is None


def test_graphs_are_bounded_in_nodes() -> None:
    graphs = Graphs(limit_nodes=7)
    for stack_id in "abc":
        graphs.keep(StackId(stack_id), TRAVERSAL, GRAPH)
    assert [graphs.known(StackId(stack_id), TRAVERSAL) for stack_id in "abc"] == [
        None,
        GRAPH,
        GRAPH,
    ]


def test_the_stored_graph_of_the_traversal_is_read(site: Site) -> None:
    stack = site.stack()
    site.graph(stack, GRAPH.edges())
    assert site.read(lambda c: Graphs().read(c, stack)) == GRAPH


@pytest.mark.parametrize("mark", [{"action": "UPDATE"}, {}])
def test_while_a_traversal_is_prepared_the_stored_graph_is_the_old_one(
    site: Site, mark: dict[str, str]
) -> None:
    stack = site.stack()
    site.graph(stack, GRAPH.edges(), mark=mark)
    assert site.read(lambda c: Graphs().read(c, stack)) is None


def test_another_traversals_graph_is_not_ours(site: Site) -> None:
    stack = site.stack()
    site.graph(stack, GRAPH.edges())
    site.write(lambda c: stacks.update(c, stack.id, {"current_traversal": TraversalId("next")}))
    assert site.read(lambda c: Graphs().read(c, stack)) is None
    assert site.read(lambda c: Graphs().read(c, replace(stack, current_traversal=None))) is None
    gone = replace(stack, id=StackId("gone"))
    assert site.read(lambda c: Graphs().read(c, gone)) is None
