"""Reading a nested stack through its owner."""

from __future__ import annotations

from typing import Any

import pytest
from site_of_tests import Site, a_test_resource

from heat_core.environment import Environment
from heat_core.errors import InvalidTemplateAttribute, NotFound, TemplateOutputError
from heat_core.stack import StackDefinition
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_core.template import Template
from heat_io.database import Database, templates
from heat_io.drivers import NoCloud, NoStoredCredentials
from heat_io.drivers.attributes import Attributes
from heat_io.drivers.definitions import Definitions
from heat_io.drivers.nested_reading import NestedReading, members_of, needed_nodes, read_for_outputs
from heat_io.drivers.procedure_driver import ProcedureDriver

GROUP = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 2, "resource_def": a_test_resource()},
}
OUTPUTS = {
    "refs_map": {"value": {"0": {"get_resource": "0"}, "1": {"get_resource": "1"}}},
    "wrong": {"value": {"get_attr": ["0", "nothing"]}},
}


@pytest.fixture
def attributes(database: Database) -> Attributes:
    procedures = ProcedureDriver(NoCloud(), lambda size: bytes(size))
    return Attributes(database, Definitions(database), procedures, NoStoredCredentials())


def a_tree(site: Site, owner: Any = GROUP, **outputs: Any) -> tuple[StackRecord, ResourceRecord]:
    """A stack whose resource "g" has a nested stack of two members."""
    parent = site.stack({"g": owner})
    document = {"0": a_test_resource(), "1": a_test_resource()}
    child = site.stack(
        name="st-g-x",
        owner_id=parent.id,
        raw_template_id=site.template(document, outputs={**OUTPUTS, **outputs}),
    )
    for name in document:
        site.row(child, name, data={"value": f"v{name}"})
    return parent, site.row(parent, "g", physical_id=child.id, properties=owner.get("properties"))


async def reading_of(database: Database, attributes: Attributes, row: ResourceRecord) -> Any:
    return await NestedReading.of(database, Definitions(database), attributes, row)


async def test_outputs(database: Database, attributes: Attributes, site: Site) -> None:
    _, row = a_tree(site)
    nested = await reading_of(database, attributes, row)
    assert await nested.output("refs_map") == {"0": "physical-0", "1": "physical-1"}
    with pytest.raises(NotFound, match="Specified output key gone not found"):
        await nested.output("gone")
    with pytest.raises(TemplateOutputError) as told:
        await nested.output("wrong")
    assert str(told.value) == (
        "Error in g output wrong: The Referenced Attribute (0 nothing) is incorrect."
    )


async def test_members(database: Database, attributes: Attributes, site: Site) -> None:
    _, row = a_tree(site)
    nested = await reading_of(database, attributes, row)
    members = await nested.members()
    assert members.names(failed=True) == ["0", "1"]
    assert set(members.template["resources"]) == {"0", "1"}
    assert await nested.member_reference("1") == "physical-1"
    assert await nested.member_reference("2") is None
    assert await nested.member_attribute("1", ("output",)) == "v1"
    assert await nested.member_attribute("2", ("output",)) is None
    with pytest.raises(InvalidTemplateAttribute):
        await nested.member_attribute("0", ("g", "x"))


async def test_a_nested_stack_that_is_gone(
    database: Database, attributes: Attributes, site: Site
) -> None:
    stack = site.stack({"g": GROUP})
    for physical_id in (None, "gone"):
        row = site.row(stack, "g", physical_id=physical_id)
        assert await reading_of(database, attributes, row) is None


def test_the_last_row_of_a_name_is_the_member(site: Site) -> None:
    stack = site.stack({"0": a_test_resource()})
    site.row(stack, "0")
    new = site.row(stack, "0", physical_id=None, status=Status.FAILED)
    site.row(stack, "1", action=Action.DELETE)
    members = members_of(site.rows(stack), None)
    assert [(one.name, one.failed, one.physical_id) for one in members.all] == [("0", True, None)]
    assert members.all[0].created_at == new.created_at
    assert members.all[0].reference_id == "0"


def test_what_outputs_need() -> None:
    document = {
        "heat_template_version": "2018-08-31",
        "resources": {name: a_test_resource() for name in "abc"},
        "outputs": {
            "one": {"value": [{"get_attr": ["a", "output"]}, {"get_resource": "b"}]},
            "two": {"value": {"get_resource": "c"}},
        },
    }
    definition = StackDefinition.build(Template(document), stack_name="s", stack_id="i")
    assert needed_nodes(definition, ["one"]) == {"a": frozenset({"output"}), "b": frozenset()}


async def test_which_attribute_is_read_may_be_read_too(attributes: Attributes, site: Site) -> None:
    which = {"get_attr": ["a", "output"]}
    outputs = {"o": {"value": {"get_attr": ["b", "output", which]}}}
    names = {"a": a_test_resource(), "b": a_test_resource()}
    stack = site.stack(raw_template_id=site.template(names, outputs=outputs))
    site.row(stack, "a", data={"value": "1"})
    site.row(stack, "b", data={"value": "x"})
    document = {"heat_template_version": "2018-08-31", "resources": names, "outputs": outputs}
    definition = StackDefinition.build(Template(document), stack_name="s", stack_id=stack.id)
    nodes = await read_for_outputs(attributes, stack, definition, ["o"])
    assert nodes["a"].attributes == {"output": "1"}
    assert set(nodes["b"].attributes) == {("output", None), ("output", "1")}


# --- through the resource that owns it -----------------------------------------------------------


async def test_attributes_of_a_group(attributes: Attributes, site: Site) -> None:
    parent, _ = a_tree(site)
    wanted = ["refs", ("attributes", "output"), "resource.1", "resource.7", "attributes", "show"]
    node = (await attributes.read(parent, {"g": wanted}))["g"]
    assert node.attributes["refs"] == ["physical-0", "physical-1"]
    assert node.attributes[("attributes", "output")] == {"0": "v0", "1": "v1"}
    assert node.attributes["resource.1"] == "physical-1"
    assert isinstance(node.attributes["resource.7"], NotFound)
    assert "attributes" not in node.attributes
    assert node.attributes["show"] is None


async def test_a_group_is_of_the_size_that_it_was_given(attributes: Attributes, site: Site) -> None:
    # What a size is read from may give nothing now: the stored value counts.
    owner = {**GROUP, "properties": {**GROUP["properties"], "count": {"get_attr": ["x", "output"]}}}
    parent, row = a_tree(site, owner)
    stored = site.row(parent, "g", physical_id=row.physical_id, properties=GROUP["properties"])
    found = await attributes.read(parent, {"g": ["refs"]})
    assert found["g"].id == stored.id
    assert found["g"].attributes["refs"] == ["physical-0", "physical-1"]


FILE = """
heat_template_version: 2018-08-31
resources: {}
outputs: {%s: {value: {get_resource: "0"}}}
"""


@pytest.mark.parametrize("output", ["OS::stack_id", "other"])
async def test_references(attributes: Attributes, site: Site, output: str) -> None:
    parent, row = a_tree(site)
    group = (await attributes.read(parent, {"g": []}))["g"]
    assert group.reference_id == row.physical_id
    files = {"inner.yaml": FILE % output}
    document = {"heat_template_version": "2018-08-31", "resources": {"t": {"type": "inner.yaml"}}}
    template = site.write(
        lambda connection: templates.insert(connection, document, Environment().stored(), files)
    )
    outer = site.stack(raw_template_id=template.id)
    child = site.stack(
        name="inner",
        raw_template_id=site.template(
            {"0": a_test_resource()}, outputs={output: {"value": {"get_resource": "0"}}}
        ),
    )
    site.row(child, "0")
    of = site.row(outer, "t", physical_id=child.id)
    node = (await attributes.read(outer, {"t": []}))["t"]
    if output == "OS::stack_id":
        assert node.reference_id == "physical-0"
    else:
        assert node.reference_id.startswith("arn:openstack:heat::tenant:stacks/st-t-")
        assert node.reference_id.endswith(str(of.physical_id))
