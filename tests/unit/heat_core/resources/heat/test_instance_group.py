"""OS::Heat::InstanceGroup."""

from typing import Any

import pytest

from heat_core.errors import InvalidTemplateAttribute
from heat_core.resources.nested import Batch
from tests.nested_stage import (
    FakeNested,
    cfn_definition_of,
    members_of,
    stage,
    validation_text,
)

CONFIGURATION = {
    "Type": "AWS::AutoScaling::LaunchConfiguration",
    "Properties": {
        "ImageId": "i",
        "InstanceType": "f",
        "NovaSchedulerHints": [{"Key": "k", "Value": "v"}],
    },
    "Metadata": {"m": 1},
}


def group(properties: Any = None, /, outputs: Any = (), policy: Any = None, **more: Any) -> Any:
    resource: dict[str, Any] = {
        "Type": "OS::Heat::InstanceGroup",
        "Properties": {
            "AvailabilityZones": [],
            "Size": "2",
            "LaunchConfigurationName": {"Ref": "L"},
            **(properties or {}),
        },
    }
    if policy is not None:
        resource["UpdatePolicy"] = {"RollingUpdate": policy}
    shown = {f"o{key}": {"Value": {"Fn::GetAtt": ["g", key]}} for key in outputs}
    return stage(cfn_definition_of({"L": CONFIGURATION, "g": resource}, Outputs=shown), **more)


def test_members_are_made_from_the_launch_configuration() -> None:
    made, at = group(exists=True)
    template = made.child_template(at)
    assert template["HeatTemplateFormatVersion"] == "2012-12-12"
    assert list(template["Resources"]) == ["newmember001", "newmember002"]
    assert template["Resources"]["newmember001"] == {
        "Type": "OS::Heat::ScaledResource",
        "Properties": {
            "ImageId": "i",
            "InstanceType": "f",
            "NovaSchedulerHints": [{"Key": "k", "Value": "v"}],
            "Tags": [{"Key": "metering.groupname", "Value": "nested"}],
        },
        "Metadata": {"m": 1},
    }
    assert template["Outputs"] == {
        "references": {
            "Value": {
                "newmember001": {"Ref": "newmember001"},
                "newmember002": {"Ref": "newmember002"},
            }
        }
    }


def test_metering_tags_of_the_user_are_kept() -> None:
    tags = [{"Key": "metering.x", "Value": "y"}]
    made, at = group({"Tags": tags})
    assert made.member_definition(at)["properties"]["Tags"] == tags


def test_addresses_of_the_members() -> None:
    made, at = group({"Size": 1}, outputs=["InstanceList"])
    assert made.child_template(at)["Outputs"]["InstanceList"] == {
        "Value": {"newmember001": {"Fn::GetAtt": ["newmember001", "PublicIp"]}}
    }


@pytest.mark.parametrize(
    ("properties", "policy", "text"),
    [
        ({}, None, ""),
        (
            {"LaunchConfigurationName": "L"},
            None,
            "ValueError: Resources.g: LaunchConfigurationName (L) requires a reference to the "
            "configuration not just the name of the resource.",
        ),
        (
            {"LaunchConfigurationName": "gone"},
            None,
            "ValueError: Resources.g: LaunchConfigurationName (gone) reference can not be found.",
        ),
        ({}, {"PauseTime": "PT1H"}, ""),
        ({}, {"PauseTime": "PT1H1S"}, "ValueError: Resources.g: Maximum PauseTime is 1 hour."),
        ({}, {"PauseTime": "1"}, "ValueError: Resources.g: Only ISO 8601 duration format"),
    ],
)
def test_checks(properties: Any, policy: Any, text: str) -> None:
    _, at = group(properties, policy=policy)
    found = validation_text(at.definition).removeprefix("StackValidationFailed: ")
    assert found.startswith(text)
    assert bool(found) is bool(text)


def test_without_a_configuration_members_have_tags_only() -> None:
    made, at = group({"LaunchConfigurationName": "gone"})
    assert made.member_definition(at) == {
        "type": "OS::Heat::ScaledResource",
        "properties": {"Tags": [{"Key": "metering.groupname", "Value": "g"}]},
        "metadata": {},
    }


def test_batches() -> None:
    made, at = group(
        policy={"MinInstancesInService": 0, "MaxBatchSize": 1},
        exists=True,
        members=members_of("a", "b", "c"),
    )
    assert made.update_batches(at) == [Batch(2, 1), Batch(2, 1)]
    assert set(made.child_files(at, {"earlier": "x"})) == {"earlier"}
    made, at = group(exists=True, members=members_of("a"))
    assert made.update_batches(at) == []
    assert made.child_files(at, {"earlier": "x"}) == {}


async def test_attributes() -> None:
    made, at = group(exists=True)
    members = members_of("b", "a", "c", failed="c")
    addresses = {"a": "1.1", "b": "2.2", "c": "3.3"}
    nested = FakeNested({"InstanceList": addresses}, members)
    assert await made.read_attribute(nested, at, "InstanceList") == "2.2,1.1"
    nested = FakeNested(
        {}, members, {"a": {"PublicIp": "1.1"}, "b": {"PublicIp": None}, "c": {"PublicIp": "3.3"}}
    )
    assert await made.read_attribute(nested, at, "InstanceList") == "0.0.0.0,1.1"
    assert await made.read_attribute(FakeNested(), at, "InstanceList") is None
    assert await made.read_attribute(None, at, "InstanceList") is None
    with pytest.raises(InvalidTemplateAttribute):
        await made.read_attribute(nested, at, "zz")
