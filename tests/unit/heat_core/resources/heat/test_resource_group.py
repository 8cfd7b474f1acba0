"""OS::Heat::ResourceGroup."""

from typing import Any

import pytest

from heat_core.errors import (
    InvalidTemplateAttribute,
    NotFound,
    RequestLimitExceeded,
    ResourceFailure,
    TemplateOutputError,
    UpdateReplace,
)
from heat_core.procedure import UpdateChild
from heat_core.resources.nested import Batch, Members
from heat_core.stack import StackLimits
from tests.nested_stage import (
    IO,
    FakeNested,
    Stage,
    definition_of,
    members_of,
    stage,
    validation_text,
)

VALUE = {"type": "OS::Heat::Value", "properties": {"value": "v%index%"}}


def group(properties: Any = None, /, *, policy: Any = None, outputs: Any = (), **more: Any) -> Any:
    resource: dict[str, Any] = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"resource_def": VALUE, "count": 2, **(properties or {})},
    }
    if policy is not None:
        resource["update_policy"] = policy
    shown = {f"o{key}": {"value": {"get_attr": ["g", *key]}} for key in outputs}
    definition = definition_of({"g": resource}, outputs=shown, parameters={"p": {"type": "string"}})
    return stage(definition, **more)


# --- templates -----------------------------------------------------------------------------------


def test_members_are_alike_but_for_their_names() -> None:
    made, at = group()
    assert made.child_template(at) == {
        "heat_template_version": "2015-04-30",
        "resources": {
            "0": {"type": "OS::Heat::Value", "properties": {"value": "v0"}},
            "1": {"type": "OS::Heat::Value", "properties": {"value": "v1"}},
        },
        "outputs": {
            "refs_map": {"value": {"0": {"get_resource": "0"}, "1": {"get_resource": "1"}}}
        },
    }
    assert made.child_parameters(at) == {}


def test_the_index_is_put_into_every_text_but_keys() -> None:
    properties = {"value": {"%i%": ["a%i%%i%", 5, None, True]}, "type": None}
    made, at = group(
        {
            "index_var": "%i%",
            "count": 1,
            "resource_def": {**VALUE, "properties": properties, "metadata": {"%i%": "%i%"}},
        }
    )
    assert made.child_template(at)["resources"]["0"] == {
        "type": "OS::Heat::Value",
        "properties": {"value": {"%i%": ["a00", 5, None, True]}},
        "metadata": {"%i%": "%i%"},
    }
    kept = made.document(at, ["7"], keep_nulls=True)["resources"]["7"]
    assert kept["properties"]["type"] is None


def test_a_parameter_without_a_value_is_as_if_it_were_not_there() -> None:
    made, at = group({"resource_def": {**VALUE, "properties": {"value": {"get_param": "p"}}}})
    assert made.child_template(at)["resources"]["0"]["properties"] == {}


def test_outputs_for_what_is_read() -> None:
    made, at = group(
        outputs=[
            ("refs",),
            ("refs_map",),
            ("removed_rsrc_list",),
            ("value", "k"),
            ("attributes", "value"),
            ("resource.0",),
            ("resource.1.value",),
            ("resource.9.value",),
        ]
    )
    assert dict(made.outputs(at, ["0", "1"])) == {
        "refs": [{"get_resource": "0"}, {"get_resource": "1"}],
        "value, k": [{"get_attr": ["0", "value", "k"]}, {"get_attr": ["1", "value", "k"]}],
        "attributes, value": {"0": {"get_attr": ["0", "value"]}, "1": {"get_attr": ["1", "value"]}},
        "resource.1.value": {"get_attr": ["1", "value"]},
        "refs_map": {"0": {"get_resource": "0"}, "1": {"get_resource": "1"}},
    }


def test_removed_names_are_left_out_for_good() -> None:
    properties = {"removal_policies": [{"resource_list": ["ref-2"]}]}
    made, at = group(
        properties,
        exists=True,
        data={"name_blacklist": "0"},
        members=members_of("1", "2"),
    )
    removed = made.removed(at)
    assert (removed.names, removed.to_store) == ({"0", "2"}, "0,2")
    assert made.names(at) == ["1", "3"]
    made, at = group(
        {**properties, "removal_policies_mode": "update"},
        exists=True,
        data={"name_blacklist": "0"},
        members=members_of("1", "2"),
    )
    assert made.names(at) == ["0", "1"]


def test_a_group_that_is_too_large_is_not_even_made() -> None:
    made, at = group({"count": 10**9}, limits=StackLimits(max_resources_per_stack=1000))
    with pytest.raises(RequestLimitExceeded):
        made.child_template(at)


def test_one_member_shows_the_parameters() -> None:
    made, at = group({"count": 0})
    assert set(made.template_for_parameters(at)["resources"]) == {"0"}
    assert "resources" not in made.child_template(at)


# --- checks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"resource_def": {"type": "No::Such"}}, "The Resource Type (No::Such) could not be found"),
        ({"resource_def": {"type": "No::Such"}, "count": 0}, ""),
        (
            {"resource_def": {"type": "OS::Heat::Value", "properties": {"zz": 1}}},
            "Property error: resources.g<nested_stack>.resources[0].properties: "
            "Unknown Property zz",
        ),
        (
            {"resource_def": {"type": "inner.yaml", "properties": {"zz": 1}}},
            "Property error: resources.g<nested_stack>.resources[0].properties: "
            "Unknown Property zz",
        ),
        ({"count": -1}, "Property error: resources.g.properties.count: -1 is out of range"),
        ({"resource_def": {"type": ""}}, 'Resource "None" has no type'),
    ],
)
def test_what_the_members_would_be_is_checked(properties: Any, text: str) -> None:
    definition = definition_of(
        {
            "g": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"resource_def": VALUE, "count": 2, **properties},
            }
        }
    )
    found = validation_text(definition).removeprefix("StackValidationFailed: ")
    assert found.startswith(text)
    assert bool(found) is bool(text)


# --- batches -------------------------------------------------------------------------------------


def test_a_creation_in_batches() -> None:
    made, at = group({"count": 3}, policy={"batch_create": {"max_batch_size": 2}})
    assert made.creation_batches(at) == [Batch(2, 2), Batch(3, 1)]
    assert made.update_batches(at) == []
    made, at = group({"count": 0}, policy={"batch_create": {}})
    assert made.creation_batches(at) == []
    made, at = group()
    assert made.creation_batches(at) == []


OLD = {
    "heat_template_version": "2015-04-30",
    "resources": {
        name: {"type": "OS::Heat::Value", "properties": {"value": "old"}} for name in "012"
    },
}


def test_a_rolling_update_starts_with_the_highest_members() -> None:
    made, at = group(
        {"count": 3},
        policy={"rolling_update": {"min_in_service": 1, "max_batch_size": 2}},
        exists=True,
        members=members_of("0", "1", "2", template=OLD),
    )
    batches = made.update_batches(at)
    assert batches == [Batch(3, 2), Batch(3, 1)]
    resources = made.batch_template(at, batches[0])["resources"]
    values = {name: one["properties"]["value"] for name, one in resources.items()}
    assert values == {"0": "old", "1": "v1", "2": "v2"}


def test_members_that_are_removed_do_not_count() -> None:
    made, at = group(
        {"count": 2, "removal_policies": [{"resource_list": ["0"]}]},
        policy={"rolling_update": {"max_batch_size": 3}},
        exists=True,
        members=members_of("0", "1", "2", template=OLD),
    )
    assert made.update_batches(at) == [Batch(2, 2)]
    resources = made.batch_template(at, Batch(2, 1))["resources"]
    values = {name: one["properties"]["value"] for name, one in resources.items()}
    assert values == {"1": "old", "2": "v2"}


def test_members_above_the_size_go_at_once() -> None:
    made, at = group({"count": 1}, exists=True, members=members_of("0", "1", "2", template=OLD))
    resources = made.batch_template(at, Batch(1, 0))["resources"]
    assert list(resources) == ["0"]
    assert resources["0"]["properties"]["value"] == "old"


def test_files_of_both_definitions_are_there_while_members_change() -> None:
    made, at = group(policy={"rolling_update": {}})
    assert set(made.child_files(at, {"earlier": "x"})) == {"earlier", "inner.yaml"}
    assert set(made.child_files(at)) == {"inner.yaml"}
    made, at = group()
    assert set(made.child_files(at, {"earlier": "x"})) == {"inner.yaml"}


# --- actions -------------------------------------------------------------------------------------


def acting(properties: Any = None, /, *, policy: Any = None, **more: Any) -> Stage:
    _, at = group(properties, policy=policy)
    return Stage(at.definition, **more)


def test_all_members_are_made_at_once() -> None:
    stage = acting({"count": 3})
    stage.create()
    assert stage.steps == [["0", "1", "2"]]
    assert stage.physical_id == "nested"
    assert stage.data == {}


def test_members_that_policies_name_are_never_made() -> None:
    stage = acting({"removal_policies": [{"resource_list": ["1"]}]})
    stage.create()
    assert stage.steps == [["0", "2"]]
    assert stage.data == {"name_blacklist": "1"}


def test_members_are_made_in_batches_with_pauses_between() -> None:
    stage = acting({"count": 5}, policy={"batch_create": {"max_batch_size": 2, "pause_time": 7}})
    stage.create()
    assert stage.steps == [[], ["0", "1"], 7, ["0", "1", "2", "3"], 7, list("01234")]
    # Two pauses leave 3586 of 3600 seconds.
    updates = [one for one in stage.requests if isinstance(one, UpdateChild)]
    assert {one.timeout_minutes for one in updates} == {60}


def test_another_engine_goes_on_with_the_batches_that_are_left() -> None:
    made, at = group({"count": 3}, policy={"batch_create": {}})
    two = members_of("0", "1", template=made.document(at, ["0", "1"]))
    stage = Stage(at.definition, members=two)
    stage.run(stage.resource.finish_create(IO))
    assert stage.steps == [["0", "1", "2"]]
    stage.run(stage.resource.finish_create(IO))
    assert stage.steps == [["0", "1", "2"]]


def test_a_batch_that_fails_is_the_last() -> None:
    stage = acting({"count": 3}, policy={"batch_create": {}}, fails={2: "why"})
    with pytest.raises(ResourceFailure) as told:
        stage.create()
    assert str(told.value) == "resources.g: why"
    assert stage.steps == [[], ["0"]]


def test_pauses_may_not_take_all_the_time() -> None:
    stage = acting({"count": 3}, policy={"batch_create": {"pause_time": 30}}, timeout_seconds=60)
    with pytest.raises(ValueError, match=r"^The current update policy will result in stack update"):
        stage.create()
    assert stage.physical_id is None


def test_another_size_is_reached_at_once() -> None:
    stage = acting(
        {"count": 2},
        policy={"rolling_update": {}},
        members=members_of("0", "1", "2", template=OLD),
    )
    stage.update("count")
    assert stage.steps == [["0", "1"]]


def test_members_change_in_batches() -> None:
    stage = acting(
        {"count": 3},
        policy={"rolling_update": {"max_batch_size": 2, "min_in_service": 2, "pause_time": 1}},
        members=members_of("0", "1", "2", template=OLD),
    )
    stage.update("resource_def")
    documents = [one.document for one in stage.requests if isinstance(one, UpdateChild)]
    values = [
        {name: one["properties"]["value"] for name, one in document["resources"].items()}
        for document in documents
    ]
    assert values == [
        {"0": "old", "1": "old", "2": "v2", "3": "v3"},
        {"0": "v0", "1": "v1", "2": "v2", "3": "v3"},
        {"0": "v0", "1": "v1", "2": "v2"},
    ]
    assert [step for step in stage.steps if not isinstance(step, list)] == [1, 1]


def test_without_a_policy_members_change_at_once() -> None:
    stage = acting({"count": 3}, members=members_of("0", "1", "2", template=OLD))
    stage.update("resource_def")
    assert len(stage.steps) == 1


@pytest.mark.parametrize("policy", [None, {"rolling_update": {"max_batch_size": 1}}])
def test_a_member_named_by_its_reference_is_not_looked_for_again(policy: Any) -> None:
    stage = acting(
        {
            "count": 2,
            "removal_policies": [{"resource_list": ["ref-0"]}],
            "removal_policies_mode": "update",
        },
        policy=policy,
        members=members_of("0", "1", template=OLD),
        data={"name_blacklist": "9"},
    )
    stage.update("resource_def", "removal_policies")
    assert stage.data == {"name_blacklist": "0"}
    assert stage.steps[-1] == ["1", "2"]


def test_a_group_whose_stack_is_gone_is_replaced() -> None:
    stage = acting(members=members_of("0", template=OLD))
    stage.physical_id = None
    with pytest.raises(UpdateReplace):
        stage.update("count")


# --- attributes ----------------------------------------------------------------------------------

MEMBERS = members_of("0", "1")
ATTRIBUTES = {"0": {"ip": "a", "v": {"k": [1]}}, "1": {"ip": "b", "v": {"k": [2]}}}
OUTPUTS = {
    "refs": ["ref-0", "ref-1"],
    "refs_map": {"0": "ref-0", "1": "ref-1"},
    "ip": ["a", "b"],
    "attributes, ip": {"0": "a", "1": "b"},
    "resource.1.ip": "b",
}
READS: list[tuple[tuple[Any, ...], Any]] = [
    (("refs",), ["ref-0", "ref-1"]),
    (("refs", 1), "ref-1"),
    (("refs", 9), None),
    (("refs_map",), {"0": "ref-0", "1": "ref-1"}),
    (("ip",), ["a", "b"]),
    (("attributes", "ip"), {"0": "a", "1": "b"}),
    (("resource.1",), "ref-1"),
    (("resource.1.ip",), "b"),
    (("v", "k", 0), [1, 2]),
    (("resource.0", "v", "k", 0), 1),
]


@pytest.mark.parametrize(("key", "expected"), READS)
async def test_attributes_from_outputs_and_from_members(
    key: tuple[Any, ...], expected: Any
) -> None:
    broken = {
        name: TemplateOutputError(resource="g", attribute=name, message="x") for name in OUTPUTS
    }
    for outputs in (OUTPUTS, {}, broken):
        made, at = group(exists=True)
        nested = FakeNested(outputs, MEMBERS, ATTRIBUTES)
        assert await made.read_attribute(nested, at, *key) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (("refs",), [None, None]),
        (("refs_map",), {"0": None, "1": None}),
        (("ip",), [None, None]),
        (("attributes", "ip"), {"0": None, "1": None}),
        (("resource.0",), None),
    ],
)
async def test_attributes_of_a_group_that_is_not_there(key: Any, expected: Any) -> None:
    made, at = group()
    assert await made.read_attribute(None, at, *key) == expected


async def test_what_cannot_be_read() -> None:
    made, at = group(exists=True, data={"name_blacklist": "3,5"})
    nested = FakeNested(OUTPUTS, MEMBERS, ATTRIBUTES)
    assert await made.read_attribute(nested, at, "removed_rsrc_list") == ["3", "5"]
    with pytest.raises(InvalidTemplateAttribute, match=r"\(g attributes\)"):
        await made.read_attribute(nested, at, "attributes")
    for key in ("resource.7", "resource.7.ip"):
        with pytest.raises(NotFound, match="Member '7' not found in group resource 'g'"):
            await made.read_attribute(nested, at, key)
    with pytest.raises(InvalidTemplateAttribute, match=r"\(0 zz\)"):
        await made.read_attribute(nested, at, "zz")


def test_a_group_without_a_nested_stack_knows_no_members() -> None:
    made, at = group(exists=True, members=Members())
    assert made.names(at) == ["0", "1"]
