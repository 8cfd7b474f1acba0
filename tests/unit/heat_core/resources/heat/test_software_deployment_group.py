"""OS::Heat::SoftwareDeploymentGroup."""

from typing import Any

from heat_core.resources.nested import Batch
from tests.nested_stage import FakeNested, definition_of, members_of, stage

SERVERS = {"one": "id-1", "two": "id-2"}


def group(*keys: str, policy: Any = None, **more: Any) -> Any:
    resource: dict[str, Any] = {
        "type": "OS::Heat::SoftwareDeploymentGroup",
        "properties": {"servers": SERVERS, "config": "c"},
    }
    if policy is not None:
        resource["update_policy"] = policy
    shown = {f"o{key}": {"value": {"get_attr": ["g", key]}} for key in keys}
    return stage(definition_of({"g": resource}, outputs=shown), **more)


def test_a_deployment_a_server() -> None:
    made, at = group("deploy_stdouts", "own")
    template = made.child_template(at)
    assert list(template["resources"]) == ["one", "two"]
    one = template["resources"]["one"]
    assert one["type"] == "OS::Heat::SoftwareDeployment"
    assert (one["properties"]["server"], one["properties"]["config"]) == ("id-1", "c")
    assert "servers" not in one["properties"]
    assert {name: value["value"] for name, value in template["outputs"].items()} == {
        "attributes, deploy_stdout": {
            "one": {"get_attr": ["one", "deploy_stdout"]},
            "two": {"get_attr": ["two", "deploy_stdout"]},
        },
        "attributes, own": {
            "one": {"get_attr": ["one", "own"]},
            "two": {"get_attr": ["two", "own"]},
        },
    }


def test_names_are_never_given_up() -> None:
    made, at = group(exists=True, data={"name_blacklist": "one"})
    assert made.names(at) == ["one", "two"]
    assert made.names(at, 1) == ["one"]
    assert made.removed(at).names == frozenset()


def test_batches_keep_nothing_in_service() -> None:
    made, at = group(
        policy={"rolling_update": {"max_batch_size": 1}},
        exists=True,
        members=members_of("one", "two"),
    )
    assert made.update_batches(at) == [Batch(2, 1), Batch(2, 1)]


async def test_attributes_are_those_of_the_deployments() -> None:
    made, at = group(exists=True)
    nested = FakeNested({"attributes, deploy_stdout": {"one": "1", "two": "2"}})
    assert await made.read_attribute(nested, at, "deploy_stdouts") == {"one": "1", "two": "2"}
    assert await made.read_attribute(nested, at, "deploy_stdouts", "two") == "2"
    nested = FakeNested(
        {}, members_of("one", "two"), {name: {"own": f"x-{name}"} for name in SERVERS}
    )
    assert await made.read_attribute(nested, at, "own") == {"one": "x-one", "two": "x-two"}
