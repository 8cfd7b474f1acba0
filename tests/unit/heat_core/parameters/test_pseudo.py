"""Pseudo parameters."""

from heat_core.parameters import PSEUDO_NAMES, pseudo_parameters
from heat_core.stack import HeatIdentifier

IDENTITY = HeatIdentifier("t", "n", "i")


def test_hot() -> None:
    values = {name: one.default for name, one in pseudo_parameters("hot", IDENTITY).items()}
    assert values == {"OS::stack_id": "i", "OS::project_id": "t", "OS::stack_name": "n"}
    values = {name: one.default for name, one in pseudo_parameters("hot", None).items()}
    assert values == {"OS::stack_id": "", "OS::project_id": ""}


def test_cfn() -> None:
    values = {name: one.default for name, one in pseudo_parameters("cfn", IDENTITY).items()}
    assert values == {
        "AWS::StackId": "arn:openstack:heat::t:stacks/n/i",
        "AWS::StackName": "n",
        "AWS::Region": "ap-southeast-1",
    }
    assert {name: one.default for name, one in pseudo_parameters("cfn", None).items()} == {
        "AWS::StackId": "None"
    }


def test_their_names() -> None:
    for dialect, names in PSEUDO_NAMES.items():
        assert set(pseudo_parameters(dialect, IDENTITY)) == names
