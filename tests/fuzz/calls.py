"""Arguments that each function of the template language takes, for strategies to begin from."""

from __future__ import annotations

from typing import Any

_TEMPLATED = {"template": "a %x% b", "params": {"%x%": {"get_param": "p_text"}}}
_JOIN: tuple[Any, ...] = ([",", ["a", "b"]], [",", {"get_param": "p_list"}])
_SELECT: tuple[Any, ...] = (["0", ["a", "b"]], ["k", {"k": 1}], [1, {"get_param": "p_list"}])
_REPLACE: tuple[Any, ...] = ([{"x": "y"}, "x in text"], [{"x": 1}, {"get_param": "p_text"}])
_FACADE: tuple[Any, ...] = ("metadata", "deletion_policy", "update_policy")
_CONCAT: tuple[Any, ...] = ([["a"], ["b", "a"]], [{"get_param": "p_list"}, []])
_PARAMETER: tuple[Any, ...] = (
    *("p_text", "p_number", "p_bool", "OS::stack_name", ["p_map", "k", "l", 0]),
    *(["p_list", "1"], ["p_map", {"get_param": "p_text"}], "p_needed", "r1"),
)
_REFERENCE: tuple[Any, ...] = ("p_text", "r1", "r2", "AWS::StackName", "AWS::Region")

CALLS: dict[str, tuple[Any, ...]] = {
    "get_param": _PARAMETER,
    "get_resource": ("r1", "r2", "r3", {"get_param": "p_text"}),
    "get_attr": (
        *(["r1", "value"], ["r2", "show"], ["r1", "value", "k", 0], ["r1", "outputs", "o1"]),
        *(["r1"], ["r3", "refs"], ["r2", "attributes", "value"], ["r1", "outputs_list", "o1"]),
    ),
    "get_file": ("f.txt", "nested.yaml"),
    "list_join": (*_JOIN, [",", ["a"], [{"k": "json"}]]),
    "str_replace": (_TEMPLATED, {"template": "x", "params": {"x": {"k": [1]}}}),
    "str_replace_strict": (_TEMPLATED,),
    "str_replace_vstrict": (_TEMPLATED,),
    "str_split": ([",", "a,b"], [",", "a,b", 1]),
    "resource_facade": _FACADE,
    "digest": (["sha512", "v"], ["md5", {"get_param": "p_text"}]),
    "repeat": (
        {"for_each": {"%v%": ["a", "b"]}, "template": {"k%v%": "%v%"}},
        {"for_each": {"%v%": {"get_param": "p_list"}}, "template": ["%v%"]},
        {
            "for_each": {"%v%": ["a", "b"], "%w%": {"x": "y", "z": 1}},
            "template": "%v%%w%",
            "permutations": False,
        },
    ),
    "map_merge": ([{"a": 1}, {"b": 2}], [{"get_param": "p_map"}, {"k": None}]),
    "map_replace": ([{"a": "b"}, {"keys": {"a": "c"}, "values": {"b": "d"}}],),
    "yaql": (
        {"expression": "$.data.sum()", "data": [1, 2]},
        {"expression": "$.data.toSet()", "data": [1, 1]},
        {"expression": "$.data.k.l.first()", "data": {"get_param": "p_map"}},
        {"expression": "$.data.select($ + 1).toList()", "data": [1, 2]},
    ),
    "if": (["c_yes", "a", "b"], ["c_no", {"get_param": "p_text"}, None], ["c_yes", "a"]),
    "filter": ([["a"], ["a", "b"]], [["a"], {"get_param": "p_list"}]),
    "make_url": (
        {"scheme": "http", "host": "h", "port": 80, "path": "/p", "query": {"q": "v"}},
        {"scheme": "https", "host": "2001:db8::1", "username": "u", "fragment": "f"},
    ),
    "list_concat": _CONCAT,
    "list_concat_unique": _CONCAT,
    "contains": (["a", ["a", "b"]], ["a", {"get_param": "p_list"}]),
    "equals": (["a", "b"], [{"get_param": "p_text"}, "hello"]),
    "not": ("c_yes", {"equals": [1, 1]}),
    "and": (["c_yes", "c_no"], [{"equals": [1, 1]}, "c_yes"]),
    "or": (["c_yes", "c_more"], [{"not": "c_yes"}, "c_yes"]),
    "Ref": _REFERENCE,
    "Fn::FindInMap": (["Map", "one", "two"], ["Map", {"Ref": "p_text"}, "two"]),
    "Fn::GetAZs": ("", "region"),
    "Fn::GetAtt": (["r1", "value"], ["r2", "show"], ["r1", "Outputs.o1"]),
    "Fn::Select": _SELECT,
    "Fn::Join": _JOIN,
    "Fn::Split": ([",", "a,b"], [",", {"Ref": "p_text"}]),
    "Fn::Replace": _REPLACE,
    "Fn::Base64": ("text", {"Ref": "p_text"}),
    "Fn::MemberListToMap": (["Name", "Value", [".member.0.Name=a", ".member.0.Value=b"]],),
    "Fn::ResourceFacade": ("Metadata", "DeletionPolicy", "UpdatePolicy"),
    "Fn::If": (["c_yes", "a", "b"], ["c_no", {"Ref": "p_text"}, None]),
    "Fn::Equals": (["a", "b"], [{"Ref": "p_text"}, "hello"]),
    "Fn::Not": (["c_yes"], [{"Fn::Equals": [1, 1]}]),
    "Fn::And": (["c_yes", "c_no"], [{"Fn::Equals": [1, 1]}, "c_yes"]),
    "Fn::Or": (["c_yes", "c_more"], [{"Fn::Not": ["c_yes"]}, "c_yes"]),
}
