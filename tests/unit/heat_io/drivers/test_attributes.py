"""Attributes, for a traversal's nodes and for answers to users."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import trio
import trio.lowlevel
from site_of_tests import Site, a_test_resource

from heat_core.errors import EntityNotFound
from heat_core.procedure import HttpAnswer, HttpCall, ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack.ids import TemplateId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Database
from heat_io.drivers.attributes import AT_ONCE, Attributes
from heat_io.drivers.definitions import Definitions
from heat_io.drivers.procedure_driver import ProcedureDriver

PROJECT = {"type": "OS::Keystone::Project"}


class Keystone:
    """Shows every project; what it shows may be made to fail."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.asked: list[str] = []
        self.credentials: list[Any] = []
        self.at_once = self.most_at_once = 0

    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        self.asked.append(call.path)
        self.credentials.append(credentials)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await trio.lowlevel.checkpoint()
        self.at_once -= 1
        if self.error is not None:
            raise self.error
        name = call.path.rsplit("/", 1)[-1]
        project = {"name": name, "tags": ["x", "y"], "enabled": True, "links": {"self": "url"}}
        return HttpAnswer(200, {"project": project})

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        return 0.0


class Stored:
    """Stored credentials, counted."""

    def __init__(self) -> None:
        self.asked = 0

    async def for_stack(self, stack: StackRecord, context: RequestContext | None = None) -> Any:
        self.asked += 1
        await trio.lowlevel.checkpoint()
        return "stored"

    async def prepare_removal(self, stack: StackRecord) -> None:
        raise AssertionError("nothing is removed here")

    async def remove(self, stack: StackRecord) -> None:
        raise AssertionError("nothing is removed here")

    async def create_project(self, context: Any, stack_id: Any) -> str | None:
        raise AssertionError("nothing is made here")


@pytest.fixture
def keystone() -> Keystone:
    return Keystone()


@pytest.fixture
def credentials() -> Stored:
    return Stored()


@pytest.fixture
def attributes(database: Database, keystone: Keystone, credentials: Stored) -> Attributes:
    procedures = ProcedureDriver(keystone, lambda size: bytes(size))
    return Attributes(database, Definitions(database), procedures, credentials)


async def test_values_of_several_resources(attributes: Attributes, site: Site) -> None:
    stack = site.stack({"a": a_test_resource(), "b": a_test_resource()})
    first = site.row(stack, "a", data={"value": "one"})
    site.row(stack, "b", data={"value": "two"})
    found = await attributes.read(stack, {"b": ["output"], "a": ["output"], "gone": ["output"]})
    assert list(found) == ["b", "a"]
    data = found["a"]
    assert (data.id, data.name, data.uuid) == (first.id, "a", first.uuid)
    assert (data.action, data.status) == ("CREATE", "COMPLETE")
    assert data.reference_id == "physical-a"
    assert data.attributes == {"output": "one"}
    assert found["b"].attributes == {"output": "two"}


async def test_of_rows_with_the_same_name_the_last_one_counts(
    attributes: Attributes, site: Site
) -> None:
    # rules/i-convergence.md#38
    stack = site.stack({"a": a_test_resource()})
    site.row(stack, "a", data={"value": "old"})
    new = site.row(stack, "a", data={"value": "new"})
    found = await attributes.read(stack, {"a": ["output"]})
    assert found["a"].id == new.id
    assert found["a"].attributes == {"output": "new"}


async def test_a_row_that_the_stack_does_not_want_any_more_is_of_its_own_templates_type(
    attributes: Attributes, site: Site
) -> None:
    before = site.template({"a": {"type": "OS::Heat::RandomString"}})
    stack = site.stack({})
    site.row(stack, "a", data={"value": "text"}, current_template_id=before)
    data = (await attributes.read(stack, {"a": ["value"]}))["a"]
    assert (data.reference_id, data.attributes) == ("text", {"value": "text"})


async def test_a_row_with_which_nothing_was_done_has_no_attributes(
    attributes: Attributes, site: Site
) -> None:
    stack = site.stack({"a": a_test_resource()})
    site.row(stack, "a", action=Action.INIT, physical_id=None, data={"value": "x"})
    data = (await attributes.read(stack, {"a": ["output"]}))["a"]
    assert data.attributes == {}
    assert data.reference_id == "a"


async def test_nothing_wanted_asks_nobody(
    attributes: Attributes, site: Site, keystone: Keystone, credentials: Stored
) -> None:
    stack = site.stack({"p": PROJECT})
    site.row(stack, "p")
    assert (await attributes.read(stack, {"p": []}))["p"].attributes == {}
    assert keystone.asked == []
    assert credentials.asked == 0


async def test_a_service_is_asked_once_for_each_attribute(
    attributes: Attributes, site: Site, keystone: Keystone, credentials: Stored
) -> None:
    stack = site.stack({"p": PROJECT})
    site.row(stack, "p")
    wanted = ["name", ("show", "links", "self"), ("show", "tags", 1), "show"]
    data = (await attributes.read(stack, {"p": wanted}))["p"]
    assert data.attributes["name"] == "physical-p"
    assert data.attributes[("show", "links", "self")] == "url"
    assert data.attributes[("show", "tags", 1)] == "y"
    assert data.attributes["show"]["enabled"] is True
    assert keystone.asked == ["/v3/projects/physical-p"] * 2
    assert set(keystone.credentials) == {"stored"}
    assert credentials.asked == 1


async def test_what_was_never_made_shows_nothing(
    attributes: Attributes, site: Site, keystone: Keystone
) -> None:
    stack = site.stack({"p": PROJECT})
    site.row(stack, "p", physical_id=None, status=Status.FAILED)
    data = (await attributes.read(stack, {"p": ["show", "name"]}))["p"]
    assert data.attributes == {"show": None, "name": None}
    assert keystone.asked == []


@pytest.mark.parametrize(("status", "warns"), [(404, False), (500, True)])
async def test_an_attribute_that_cannot_be_read_is_null(
    attributes: Attributes,
    site: Site,
    keystone: Keystone,
    caplog: pytest.LogCaptureFixture,
    status: int,
    warns: bool,
) -> None:
    keystone.error = ServiceError("identity", status, "no", error_class="X", text="no")
    stack = site.stack({"p": PROJECT})
    site.row(stack, "p")
    data = (await attributes.read(stack, {"p": ["name"]}))["p"]
    assert data.attributes == {"name": None}
    assert [record.message for record in caplog.records] == (
        ["an attribute can't be read"] if warns else []
    )


async def test_many_resources_are_asked_side_by_side_but_not_all_at_once(
    attributes: Attributes, site: Site, keystone: Keystone
) -> None:
    names = [f"p{index}" for index in range(AT_ONCE * 2)]
    stack = site.stack(dict.fromkeys(names, PROJECT))
    for name in names:
        site.row(stack, name)
    found = await attributes.read(stack, {name: ["name"] for name in names})
    assert len(found) == AT_ONCE * 2
    assert 1 < keystone.most_at_once <= AT_ONCE


async def test_a_row_that_the_template_lacks_has_a_reference_only(
    attributes: Attributes, site: Site, database: Database
) -> None:
    stack = site.stack({"a": a_test_resource()})
    row = site.row(stack, "removed", data={"value": "x"})
    definition = await Definitions(database).for_stack(stack)
    data = await attributes.of_node(stack, row, definition, ["output"])
    assert data.reference_id == "physical-removed"
    assert data.attributes == {"output": None}


async def test_a_stack_whose_template_is_gone_cannot_be_read(
    attributes: Attributes, site: Site
) -> None:
    stack = site.stack()
    with pytest.raises(EntityNotFound):
        await attributes.read(replace(stack, raw_template_id=TemplateId(99)), {"a": []})


async def test_the_place_of_a_value_that_cannot_be_had_holds_the_reason(
    attributes: Attributes, site: Site, keystone: Keystone
) -> None:
    stack = site.stack({"p": PROJECT})
    site.row(stack, "p")
    keystone.error = ValueError("the answer makes no sense")
    data = (await attributes.read(stack, {"p": ["name", ("show", "tags", 1)]}))["p"]
    assert data.attributes == {"name": keystone.error, ("show", "tags", 1): keystone.error}
