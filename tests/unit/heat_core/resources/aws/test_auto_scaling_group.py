"""AWS::AutoScaling::AutoScalingGroup."""

from typing import Any

import pytest

from tests.nested_stage import cfn_definition_of, members_of, stage, validation_text

CONFIGURATION = {
    "Type": "AWS::AutoScaling::LaunchConfiguration",
    "Properties": {"ImageId": "i", "InstanceType": "f"},
}


def group(properties: Any = None, /, policy: Any = None, **more: Any) -> Any:
    resource: dict[str, Any] = {
        "Type": "AWS::AutoScaling::AutoScalingGroup",
        "Properties": {
            "AvailabilityZones": [],
            "MinSize": 1,
            "MaxSize": 4,
            "LaunchConfigurationName": {"Ref": "L"},
            **(properties or {}),
        },
    }
    if policy is not None:
        resource["UpdatePolicy"] = policy
    return stage(cfn_definition_of({"L": CONFIGURATION, "g": resource}), **more)


def test_members() -> None:
    made, at = group({"DesiredCapacity": 2, "VPCZoneIdentifier": ["net"]}, exists=True)
    resources = made.child_template(at)["Resources"]
    assert list(resources) == ["newmember001", "newmember002"]
    assert resources["newmember001"]["Properties"] == {
        "ImageId": "i",
        "InstanceType": "f",
        "SubnetId": "net",
        "Tags": [
            {"Key": "metering.groupname", "Value": "nested"},
            {"Key": "metering.AutoScalingGroupName", "Value": "nested"},
        ],
    }
    made, at = group()
    assert len(made.child_template(at)["Resources"]) == 1


@pytest.mark.parametrize(
    ("properties", "policy", "text"),
    [
        ({}, None, ""),
        ({"MinSize": 5}, None, "StackValidationFailed: MinSize can not be greater than MaxSize"),
        (
            {"VPCZoneIdentifier": ["a", "b"]},
            None,
            "NotSupported: Anything other than one VPCZoneIdentifier is not supported.",
        ),
        (
            {"LaunchConfigurationName": ""},
            None,
            "StackValidationFailed: Either 'InstanceId' or 'LaunchConfigurationName' must be",
        ),
        (
            {"InstanceId": "x"},
            None,
            "StackValidationFailed: Either 'InstanceId' or 'LaunchConfigurationName' must be",
        ),
        ({"LaunchConfigurationName": "L"}, None, "StackValidationFailed: ValueError: Resources.g"),
        (
            {},
            {"AutoScalingRollingUpdate": {"PauseTime": "PT2H"}},
            "StackValidationFailed: ValueError: Resources.g: Maximum PauseTime is 1 hour.",
        ),
    ],
)
def test_checks(properties: Any, policy: Any, text: str) -> None:
    _, at = group(properties, policy=policy)
    found = validation_text(at.definition)
    assert found.startswith(text)
    assert bool(found) is bool(text)


def test_sizes_of_an_update() -> None:
    made, at = group({"DesiredCapacity": 3}, exists=True, members=members_of("a"))
    assert (made.capacity(at), made.wanted_size(at)) == (3, 3)
    made, at = group(exists=True, members=members_of(*"abcdef", failed="a"))
    assert made.capacity(at) == 4
