"""What launch configurations give to the members of a group."""

from typing import Any

from heat_core.resources.heat.instance_group import InstanceGroup
from heat_core.stack import NodeData, ResourceId
from tests.nested_stage import cfn_definition_of, stage


def launched(properties: Any, reference: Any = None) -> Any:
    definition = cfn_definition_of(
        {
            "L": {"Type": "AWS::AutoScaling::LaunchConfiguration", "Properties": properties},
            "g": {
                "Type": "OS::Heat::InstanceGroup",
                "Properties": {
                    "AvailabilityZones": [],
                    "Size": 1,
                    "LaunchConfigurationName": {"Ref": "L"},
                },
            },
        }
    )
    nodes = {}
    if reference is not None:
        nodes["L"] = NodeData(ResourceId(1), "L", "u", reference, {}, "CREATE", "COMPLETE")
    made, at = stage(definition, nodes=nodes)
    assert isinstance(made, InstanceGroup)
    return made.member_definition(at)["properties"]


def test_only_what_the_user_gave_is_passed_on() -> None:
    devices = [{"DeviceName": "vda", "Ebs": {"SnapshotId": "s"}}]
    given = launched({"ImageId": "i", "InstanceType": "f", "BlockDeviceMappings": devices})
    assert set(given) == {"ImageId", "InstanceType", "BlockDeviceMappings", "Tags"}
    (device,) = given["BlockDeviceMappings"]
    assert set(device) == {"DeviceName", "Ebs"}


def test_the_configuration_is_found_by_its_reference_once_it_is_there() -> None:
    assert launched({"ImageId": "i", "InstanceType": "f"}, reference="s-L-abc")["ImageId"] == "i"


def test_an_instance_that_exists_is_for_a_service_to_look_at() -> None:
    assert set(launched({"InstanceId": "x"})) == {"Tags"}
