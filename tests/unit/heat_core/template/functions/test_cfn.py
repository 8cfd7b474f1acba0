"""The CloudFormation functions."""

from typing import Any

import pytest

from heat_core.errors import InvalidTemplateReference, StackValidationFailed


@pytest.mark.parametrize(
    ("snippet", "value"),
    [
        ({"Ref": "p"}, "hello"),
        ({"Ref": "srv"}, "srv-id"),
        ({"Ref": "AWS::StackName"}, "demo"),
        ({"Ref": "AWS::Region"}, "ap-southeast-1"),
        ({"Fn::GetAtt": ["srv", "name"]}, "web"),
        ({"Fn::FindInMap": ["Sizes", "small", "ram"]}, 1),
        ({"Fn::GetAZs": "anything"}, ["nova"]),
        ({"Fn::Select": ["1", ["a", "b"]]}, "b"),
        ({"Fn::Select": ["k", {"k": 1}]}, 1),
        ({"Fn::Select": ["z", {"k": 1}]}, ""),
        ({"Fn::Select": [9, ["a"]]}, ""),
        ({"Fn::Select": ["k", '{"k": 2}']}, 2),
        ({"Fn::Select": [0, ""]}, ""),
        ({"Fn::Select": [0, None]}, ""),
        ({"Fn::Split": [",", "a,b"]}, ["a", "b"]),
        ({"Fn::Base64": {"Ref": "p"}}, "hello"),
        (
            {
                "Fn::MemberListToMap": [
                    "Name",
                    "Value",
                    [
                        ".member.1.Name=b",
                        ".member.1.Value=2=3",
                        ".member.0.Name=a",
                        ".member.0.Value=1",
                        ".member.2.Name=alone",
                        "other=x",
                    ],
                ]
            },
            {"a": "1", "b": "2=3"},
        ),
        ({"Fn::If": ["Yes", 1, 2]}, 1),
    ],
)
def test_values(cfn_stage: Any, snippet: Any, value: Any) -> None:
    assert cfn_stage.resolve(snippet) == value


@pytest.mark.parametrize(
    ("snippet", "error", "text"),
    [
        ({"Ref": "ghost"}, InvalidTemplateReference, '"ghost" (in unknown)'),
        ({"Fn::FindInMap": ["Nope", "a", "b"]}, KeyError, "Nope"),
        ({"Fn::Select": ["x", ["a"]]}, TypeError, 'Index to "Fn::Select" must be an integer'),
        ({"Fn::Select": [0, {"a": 1}]}, TypeError, 'Index to "Fn::Select" must be a string'),
        ({"Fn::Select": [0, "text"]}, ValueError, '"Fn::Select": Expecting value'),
        ({"Fn::Select": [0, 5]}, TypeError, "Arguments to Fn::Select not fully resolved"),
        ({"Fn::Split": [{"Ref": "p"}, "a"]}, TypeError, "Delimiter for Fn::Split must be string"),
        ({"Fn::Split": [",", 5]}, TypeError, "String to split must be string; got"),
        ({"Fn::Base64": 5}, TypeError, '"Fn::Base64" argument must be a string'),
        ({"Fn::MemberListToMap": ["a", "b", 5]}, TypeError, "Member list must be a list"),
        ({"Fn::MemberListToMap": ["a", "b", [5]]}, TypeError, "Member list items must be strings"),
    ],
)
def test_resolving_refuses(cfn_stage: Any, snippet: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        cfn_stage.resolve(snippet)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ({"Fn::FindInMap": ["a", "b"]}, "not enough values to unpack"),
        ({"Fn::GetAtt": ["srv"]}, "must be of the form [resource_name, attribute]"),
        ({"Fn::Select": [1]}, "must be of the form [index, collection]"),
        ({"Fn::Split": "x"}, 'Incorrect arguments to "Fn::Split"'),
        ({"Fn::Split": [","]}, 'Incorrect arguments to "Fn::Split"'),
        ({"Fn::MemberListToMap": ["a"]}, "Wrong Arguments try:"),
        ({"Fn::MemberListToMap": [1, "b", []]}, "Key Name must be a string"),
        ({"Fn::MemberListToMap": ["a", 1, []]}, "Value Name must be a string"),
        ({"Ref": {"Ref": "p"}}, "unhashable type"),
    ],
)
def test_parsing_refuses(cfn_stage: Any, snippet: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        cfn_stage.parse(snippet)
    assert text in str(caught.value)
