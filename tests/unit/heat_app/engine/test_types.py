from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from heat_core import errors
from heat_core.environment import make_global_registry, using_global_registry
from heat_core.rpc import RequestContext, dumps


def _with_services(user: RequestContext, *types: str) -> RequestContext:
    catalog = [{"type": name} for name in types]
    return replace(user, auth_token_info={"token": {"catalog": catalog}})


async def test_types_that_the_caller_may_use(world: Any, user: RequestContext) -> None:
    everything = await world.call("list_resource_types")
    assert "OS::Heat::RandomString" in everything
    assert "OS::Keystone::Project" in everything
    without = await world.call("list_resource_types", _with_services(user, "compute"))
    assert "OS::Keystone::Project" not in without
    with_it = await world.call("list_resource_types", _with_services(user, "identity"))
    assert "OS::Keystone::Project" in with_it
    world.forbidden.add("OS::Heat::RandomString")
    assert "OS::Heat::RandomString" not in await world.call("list_resource_types")


async def test_a_type_that_an_operator_has_taken_away(world: Any) -> None:
    taken = make_global_registry(({"resource_registry": {"OS::Heat::RandomString": None}},))
    with using_global_registry(taken):
        listed = await world.call("list_resource_types")
        assert "OS::Heat::RandomString" not in listed
        assert "OS::Heat::Value" in listed
        with pytest.raises(errors.EntityNotFound):
            await world.call("resource_schema", type_name="OS::Heat::RandomString")


async def test_types_by_pattern_and_with_descriptions(world: Any) -> None:
    found = await world.call(
        "list_resource_types", type_name="OS::Heat::Random.*", with_description=True
    )
    assert [one["resource_type"] for one in found] == ["OS::Heat::RandomString"]
    assert found[0]["description"]
    assert await world.call("list_resource_types", type_name="(") == []
    with pytest.raises(errors.Invalid, match=r"^Data supplied was not valid: Invalid support"):
        await world.call("list_resource_types", support_status="GOOD")


async def test_a_schema(world: Any, user: RequestContext) -> None:
    schema = await world.call("resource_schema", type_name="OS::Heat::RandomString")
    assert set(schema) == {"resource_type", "properties", "attributes", "support_status"}
    dumps(schema)
    with pytest.raises(errors.EntityNotFound) as caught:
        await world.call("resource_schema", type_name="OS::No::Such")
    assert str(caught.value) == "The Resource Type (OS::No::Such) could not be found."
    with pytest.raises(errors.ResourceTypeUnavailable):
        await world.call(
            "resource_schema", _with_services(user, "compute"), type_name="OS::Keystone::Project"
        )
    world.forbidden.add("OS::Heat::RandomString")
    with pytest.raises(errors.Forbidden):
        await world.call("resource_schema", type_name="OS::Heat::RandomString")


async def test_a_type_that_an_operator_mapped_to_a_template(world: Any) -> None:
    with pytest.raises(errors.InvalidGlobalResource):
        await world.call("resource_schema", type_name="AWS::RDS::DBInstance")


async def test_a_generated_template(world: Any) -> None:
    cfn = await world.call("generate_template", type_name="OS::Heat::RandomString")
    assert "HeatTemplateFormatVersion" in cfn
    hot = await world.call(
        "generate_template", type_name="OS::Heat::RandomString", template_type="hot"
    )
    assert hot["resources"]["RandomString"]["type"] == "OS::Heat::RandomString"


async def test_template_versions_equal_the_measured_ones(world: Any, shared: Path) -> None:
    facts = json.loads((shared / "facts" / "template-versions.json").read_text())["classes"]
    found = await world.call("list_template_versions")
    assert [one["version"] for one in found] == sorted(facts)
    for one in found:
        assert set(one) == {"version", "type", "aliases"}
        key = one["version"].partition(".")[0]
        given = [a if "." in a else f"{key}.{a}" for a in facts[one["version"]]["aliases"]]
        assert one["aliases"] == given


async def test_functions_of_a_version_equal_the_measured_ones(world: Any, shared: Path) -> None:
    facts = json.loads((shared / "facts" / "template-versions.json").read_text())["classes"]
    for name, fact in facts.items():
        found = await world.call("list_template_functions", template_version=name)
        wanted = {key for key, kind in fact["functions"].items() if kind != "Removed"}
        assert {one["functions"] for one in found} == wanted
        assert all(one["description"] for one in found)
        more = await world.call(
            "list_template_functions", template_version=name, with_condition=True
        )
        assert {one["functions"] for one in more} == wanted | set(fact["condition_functions"])


async def test_functions_of_an_alias_and_of_nothing(world: Any) -> None:
    rocky = await world.call(
        "list_template_functions", template_version="heat_template_version.rocky"
    )
    assert rocky
    with pytest.raises(errors.NotFound, match=r"^Template with version x not found$"):
        await world.call("list_template_functions", template_version="x")
