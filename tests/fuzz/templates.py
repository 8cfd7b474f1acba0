"""Strategies of Hypothesis for whole templates, sound ones and broken ones.

A sound template is drawn by the grammar of its version: every section, real types with values that
fit their schemas, calls with the arguments that they take. Then a few nodes of its tree, none as
often as not, become something else: an odd value, another node, a call, nothing at all. So what is
wrong stands where all around it is right, which is where checks stumble.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from hypothesis import strategies as st

from heat_core.properties import Prop
from heat_core.properties.constraints import AllowedValues
from heat_core.properties.kinds import Kind
from heat_core.resources import registry
from heat_core.template import VERSIONS, TemplateVersion
from tests.fuzz.calls import CALLS

type Draw = Callable[..., Any]

ODD_SCALARS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2.5, 10**30, 10**400, -(10**3000), 1e308, math.inf, math.nan),
    *(
        "",
        " ",
        "0",
        "-1",
        "1e400",
        "true",
        "null",
        "x" * 600,
        "a\nb",
        "a.b.c",
        "a[0]",
        "%s%d",
        "{0}",
    ),
    *(
        "\u2603",
        "\U0001f600",
        "\x00",
        "\ud800",
        "\u202e",
        "e\u0301",
        "İ",
        "٣",
        "a/b",
        "../x",
        "<x>",
    ),
    *("r1", "p_text", "c_yes", "f.txt", "nested.yaml", "OS::Heat::None", "[", "(", "*", "(?P<a"),
    *(b"\xff\x00", b""),
)
"""values of every kind that YAML and JSON can give, each odd in its own way"""

_ODD_KEYS: tuple[Any, ...] = (
    *("", "a", "a.b", "[0]", "\u2603", "\ud800", "x" * 300, "get_param", "Ref", "type", "default"),
    *(None, True, 1, 2.5, 10**400, math.nan, b"k", (1, "t")),
)
WORDS = ("a", "b", "web", "10.0.0.1", "x,y", "5", "2001:db8::/64", "aGk=", "00:11:22:33:44:55", "é")
RESOURCES = ("r1", "r2", "r3", "r4")
OUTPUTS = ("o1", "o2")
PLAIN_TYPES = (
    *("OS::Heat::Value", "OS::Heat::None", "OS::Heat::RandomString", "OS::Heat::TestResource"),
    *("OS::Nova::Server", "OS::Neutron::Port", "OS::Cinder::Volume", "OS::Keystone::Project"),
    *("AWS::EC2::Instance", "OS::Heat::SoftwareConfig", "OS::Heat::WaitCondition"),
)
GROUPS = (
    *("OS::Heat::ResourceGroup", "OS::Heat::AutoScalingGroup", "OS::Heat::ResourceChain"),
    *("OS::Heat::InstanceGroup", "AWS::AutoScaling::AutoScalingGroup", "OS::Heat::Stack"),
)
NESTED = "nested.yaml"
CUSTOM = "My::Custom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A template's document with all that a request brings along."""

    document: dict[Any, Any]
    parameters: Any = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    environment_files: tuple[str, ...] = ()


def as_text(document: Any) -> str:
    """A document as the text of a file; JSON where it can be, else YAML."""
    try:
        return json.dumps(document)
    except (TypeError, ValueError):
        pass
    try:
        return yaml.dump(document)
    except (yaml.YAMLError, ValueError, TypeError):
        return repr(document)


# --- values ----------------------------------------------------------------------------------


@st.composite
def odd_values(draw: Draw) -> Any:
    """Anything that a document may hold where nobody expects it."""
    kind = draw(st.integers(0, 9))
    if kind < 5:
        return draw(st.sampled_from(ODD_SCALARS))
    if kind == 5:
        return draw(st.lists(st.sampled_from(ODD_SCALARS), max_size=3))
    if kind == 6:
        return draw(_odd_maps)
    if kind == 7:
        odd = draw(st.sampled_from([set(), {1, "a"}, [("a", 1)], [[]], [{}], {"": {}}]))
        return copy.deepcopy(odd)
    if kind == 8:
        return draw(_deep_values())
    return draw(st.text(max_size=12))


_odd_maps = st.dictionaries(st.sampled_from(_ODD_KEYS), st.sampled_from(ODD_SCALARS), max_size=3)


@st.composite
def _deep_values(draw: Draw) -> Any:
    """Lists, maps or calls in each other, as deep as the loader lets them be."""
    depth = draw(st.sampled_from([5, 60, 250]))
    wrap: Callable[[Any], Any] = draw(
        st.sampled_from(
            [
                lambda inner: [inner],
                lambda inner: {"k": inner},
                lambda inner: {"list_join": ["", [inner]]},
                lambda inner: {"get_param": inner},
                lambda inner: {"if": ["c_yes", inner, inner]},
                lambda inner: {"Fn::Join": ["", [inner]]},
                lambda inner: {"not": inner},
                lambda inner: {"Fn::Select": ["0", [inner]]},
                lambda inner: {"repeat": {"for_each": {"%x%": ["a"]}, "template": inner}},
            ]
        )
    )
    value: Any = draw(st.sampled_from(["a", None, {"get_param": "p_text"}]))
    for _ in range(depth):
        value = wrap(value)
    return value


@st.composite
def _calls(
    draw: Draw,
    version: TemplateVersion,
    known: Sequence[str] = RESOURCES,
    *,
    condition: bool = False,
    depth: int = 0,
) -> Any:
    """A call of a function of the version with arguments that it takes, others in them.

    It refers to the resources that are `known`, to none where there are none.
    """
    table = version.condition_functions if condition else version.functions
    names = sorted(name for name in table if name in CALLS and (known or name not in _REFERRING))
    name = draw(st.sampled_from(names))
    arguments = _referring(draw(st.sampled_from(CALLS[name])), known)
    if depth < 2 and draw(st.integers(0, 3)) == 0:
        spots = list(_spots(arguments))
        if spots:
            holder, key = draw(st.sampled_from(spots))
            holder[key] = draw(_calls(version, known, condition=condition, depth=depth + 1))
    return {name: arguments}


_REFERRING = frozenset({"get_resource", "get_attr", "Fn::GetAtt"})


def _referring(tree: Any, known: Sequence[str]) -> Any:
    """A copy in which each name of a resource is that of one that is known."""
    if isinstance(tree, dict):
        return {key: _referring(value, known) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_referring(value, known) for value in tree]
    if tree in RESOURCES and tree not in known:
        return known[-1] if known else "p_text"
    return tree


@st.composite
def _values_of(
    draw: Draw, version: TemplateVersion, prop: Prop, known: Sequence[str], depth: int = 0
) -> Any:
    """A value that fits a property's schema, a call now and then."""
    if draw(st.integers(0, 7)) == 0:
        return draw(_calls(version, known))
    for constraint in prop.constraints.items:
        if isinstance(constraint, AllowedValues):
            return draw(st.sampled_from(list(constraint.allowed)))
    match prop.kind:
        case Kind.STRING | Kind.ANY:
            return draw(st.sampled_from(WORDS))
        case Kind.INTEGER | Kind.NUMBER:
            return draw(st.sampled_from([0, 1, 2, 80, "3"]))
        case Kind.BOOLEAN:
            return draw(st.sampled_from([True, False, "true"]))
        case Kind.LIST:
            if isinstance(prop.schema, Prop) and depth < 3:
                item = _values_of(version, prop.schema, known, depth + 1)
                return [draw(item) for _ in range(draw(st.integers(0, 2)))]
            return draw(st.sampled_from([[], ["a"], "x,y"]))
        case _:
            if prop.schema and not isinstance(prop.schema, Prop) and depth < 3:
                return draw(_members(version, prop.schema, known, depth + 1))
            return draw(st.sampled_from([{}, {"a": "b"}]))


@st.composite
def _members(
    draw: Draw, version: TemplateVersion, schema: Any, known: Sequence[str], depth: int = 0
) -> dict[str, Any]:
    """A map of a schema's required members and some of the others."""
    chosen = [name for name, prop in schema.items() if prop.required]
    others = [name for name, prop in schema.items() if not prop.required and prop.implemented]
    if others:
        chosen += draw(st.lists(st.sampled_from(others), max_size=2, unique=True))
    return {name: draw(_values_of(version, schema[name], known, depth)) for name in chosen}


# --- sections --------------------------------------------------------------------------------

_PARAMETERS: dict[str, dict[str, Any]] = {
    "p_text": {"type": "string", "default": "hello"},
    "p_needed": {"type": "string"},
    "p_number": {"type": "number", "default": 3},
    "p_list": {"type": "comma_delimited_list", "default": "a,b"},
    "p_map": {"type": "json", "default": {"k": {"l": [1, 2]}}},
    "p_bool": {"type": "boolean", "default": True},
}
_CONSTRAINTS: dict[str, tuple[dict[str, Any], ...]] = {
    "string": (
        {"length": {"min": 1, "max": 40}},
        {"allowed_values": ["hello", "a", "b"]},
        {"allowed_pattern": "[a-z]+", "description": "letters"},
        {"custom_constraint": "nova.flavor"},
    ),
    "number": ({"range": {"min": 0, "max": 9}}, {"allowed_values": [1, 3, 5]}),
    "comma_delimited_list": ({"length": {"max": 3}}, {"allowed_values": ["a", "b"]}),
    "json": ({"length": {"min": 1}},),
    "boolean": ({"custom_constraint": "nova.flavor"},),
}
_CFN_CONSTRAINTS: dict[str, tuple[dict[str, Any], ...]] = {
    "string": (
        {"MinLength": 1, "MaxLength": "40"},
        {"AllowedValues": ["hello", "a", "b"]},
        {"AllowedPattern": "[a-z]+", "ConstraintDescription": "letters"},
    ),
    "number": ({"MinValue": 0, "MaxValue": "9.5"}, {"AllowedValues": [1, 3, 5]}),
    "comma_delimited_list": ({"MaxLength": 3},),
    "json": ({"MinLength": 1, "Description": "a map"},),
    "boolean": ({"NoEcho": "true"},),
}
_CFN_TYPES = {
    "string": "String",
    "number": "Number",
    "comma_delimited_list": "CommaDelimitedList",
    "json": "Json",
    "boolean": "Boolean",
}


@st.composite
def _parameters(draw: Draw, version: TemplateVersion) -> dict[str, Any]:
    section: dict[str, Any] = {}
    for name, sound in _PARAMETERS.items():
        schema = copy.deepcopy(sound)
        kind = schema["type"]
        if version.dialect == "cfn":
            schema = {{"type": "Type", "default": "Default"}[key]: schema[key] for key in schema}
            schema["Type"] = _CFN_TYPES[kind]
            if draw(st.integers(0, 2)) == 0:
                schema |= draw(st.sampled_from(_CFN_CONSTRAINTS[kind]))
        elif draw(st.integers(0, 2)) == 0:
            schema["constraints"] = copy.deepcopy(
                draw(st.lists(st.sampled_from(_CONSTRAINTS[kind]), max_size=2))
            )
            if version.has_modulo and kind == "number":
                schema["constraints"].append({"modulo": {"step": 2, "offset": 1}})
            schema |= {"label": "l", "hidden": True, "immutable": draw(st.booleans())}
            if version.has_parameter_tags:
                schema["tags"] = ["t"]
        section[name] = schema
    return section


@st.composite
def _resources(draw: Draw, version: TemplateVersion, *, nested: bool) -> dict[str, Any]:
    types = [*PLAIN_TYPES, *GROUPS, *([NESTED, CUSTOM] if nested else [])]
    section = {}
    names = version.names
    for number in range(draw(st.integers(1, len(RESOURCES)))):
        name, known = RESOURCES[number], RESOURCES[:number]
        kind = draw(st.sampled_from(types) if draw(st.integers(0, 3)) else _all_types)
        resource: dict[str, Any] = {names.type: kind}
        if kind in (NESTED, CUSTOM):
            resource[names.properties] = {"p_needed": draw(st.sampled_from(WORDS))}
        elif kind in GROUPS:
            resource[names.properties] = draw(_group(version, kind, nested=nested))
        else:
            resource[names.properties] = draw(
                _members(version, registry.find(kind).properties, known)
            )
        if draw(st.integers(0, 3)) == 0:
            resource[names.metadata] = {"m": draw(_calls(version, known))}
        if draw(st.integers(0, 3)) == 0:
            resource[names.depends_on] = draw(
                st.sampled_from([*known, list(known)]) if known else st.just([])
            )
        if draw(st.integers(0, 3)) == 0:
            resource[names.deletion_policy] = draw(st.sampled_from(["Delete", "Retain"]))
        if version.has_conditions and draw(st.integers(0, 3)) == 0:
            resource[names.condition] = draw(st.sampled_from(["c_yes", "c_no", True]))
        if version.dialect == "hot" and version.has_conditions and draw(st.integers(0, 9)) == 0:
            resource["external_id"] = "an-id"
            resource.pop(names.depends_on, None)
        section[name] = resource
    return section


_all_types = st.deferred(lambda: st.sampled_from(registry.names()))


@st.composite
def _group(draw: Draw, version: TemplateVersion, kind: str, *, nested: bool) -> dict[str, Any]:
    """The properties of a type that makes a stack of its own."""
    member_type = draw(st.sampled_from([*PLAIN_TYPES[:4], *([NESTED, CUSTOM] if nested else [])]))
    member = {"type": member_type, "properties": {"value": draw(st.sampled_from(["%index%", 1]))}}
    size = draw(st.sampled_from([0, 1, 2, "2", {"get_param": "p_number"}]))
    match kind:
        case "OS::Heat::ResourceGroup":
            return {
                "count": size,
                "resource_def": member,
                **draw(
                    st.sampled_from(
                        [
                            {},
                            {"index_var": "%i%"},
                            {"removal_policies": [{"resource_list": ["0"]}]},
                            {"removal_policies_mode": "update"},
                        ]
                    )
                ),
            }
        case "OS::Heat::AutoScalingGroup":
            return {"min_size": 0, "max_size": 3, "desired_capacity": size, "resource": member}
        case "OS::Heat::ResourceChain":
            return {"resources": draw(st.lists(st.just(member_type), max_size=3))}
        case "OS::Heat::Stack":
            text = as_text({"heat_template_version": "rocky", "outputs": {"o": {"value": 1}}})
            return {
                "template": draw(st.sampled_from([text, {"get_file": NESTED}])),
                "parameters": {},
            }
        case _:
            schema = registry.find(kind).properties
            return draw(_members(version, schema, ()))


@st.composite
def _sound(draw: Draw, version: TemplateVersion, *, nested: bool) -> dict[Any, Any]:
    """A template in which nothing is wrong on purpose."""
    names = version.names
    document: dict[Any, Any] = {version.key: version.value, names.description: "a template"}
    document[names.parameters] = draw(_parameters(version))
    if version.dialect == "hot" and draw(st.integers(0, 3)) == 0:
        document["parameter_groups"] = [
            {"label": "g", "description": "d", "parameters": ["p_text", "p_map"]}
        ]
    if version.dialect == "cfn":
        document[names.mappings] = {"Map": {"one": {"two": "found"}}}
    if version.has_conditions:
        document[names.conditions] = {
            "c_yes": True,
            "c_no": draw(_calls(version, condition=True)),
            "c_more": draw(_calls(version, condition=True)),
        }
    document[names.resources] = draw(_resources(version, nested=nested))
    document[names.outputs] = {}
    for name in OUTPUTS:
        there = tuple(document[names.resources])
        output = {names.output_value: draw(_calls(version, there))}
        if version.has_conditions and draw(st.booleans()):
            output[names.condition] = draw(st.sampled_from(["c_yes", "c_no"]))
        document[names.outputs][name] = output
    return copy.deepcopy(document)  # what breaks it works in place


# --- breaking --------------------------------------------------------------------------------


def _spots(tree: Any) -> Iterator[tuple[Any, Any]]:
    """(holder, key) of every node below the root."""
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict):
            keys = list(holder)
        elif isinstance(holder, list):
            keys = list(range(len(holder)))
        else:
            continue
        for key in keys:
            yield holder, key
            waiting.append(holder[key])


@st.composite
def broken(draw: Draw, tree: Any, version: TemplateVersion) -> Any:
    """The tree with one node changed, removed, renamed, wrapped or exchanged, in place."""
    spots = list(_spots(tree))[::-1]  # the outermost are drawn often enough
    if not spots:
        return tree
    holder, key = draw(st.sampled_from(spots))
    match draw(st.integers(0, 7)):
        case 0 | 1 | 2:
            holder[key] = draw(odd_values())
        case 3:
            del holder[key]
        case 4:
            other, other_key = draw(st.sampled_from(spots))
            holder[key] = copy.deepcopy(other.get(other_key) if isinstance(other, dict) else "r1")
        case 5 if isinstance(holder, dict):
            holder[draw(st.sampled_from(_ODD_KEYS))] = holder.pop(key)
        case 6:
            holder[key] = draw(
                _calls(version, condition=version.has_conditions and draw(st.booleans()))
            )
        case _:
            holder[key] = [holder[key]]
    return tree


_how_often = st.sampled_from([0, 0, 1, 1, 1, 2, 3])


@st.composite
def documents(draw: Draw, *, nested: bool = False, sound: bool = False) -> dict[Any, Any]:
    """A template of any version, in which some things may be wrong."""
    version = draw(st.sampled_from(VERSIONS))
    document: dict[Any, Any] = draw(_sound(version, nested=nested))
    for _ in range(0 if sound else draw(_how_often)):
        draw(broken(document, version))
    return document


_ENVIRONMENT: dict[str, Any] = {
    "parameters": {"p_text": "b", "p_number": 5, "p_list": ["a"], "p_map": {"k": {"l": [3]}}},
    "parameter_defaults": {"p_needed": "hello", "p_bool": False},
    "resource_registry": {
        CUSTOM: NESTED,
        "OS::Nova::Floating*": "OS::Neutron::Floating*",
        "resources": {"r1": {"hooks": "pre-create"}, "r*": {"restricted_actions": "replace"}},
    },
    "event_sinks": [{"type": "zaqar-queue", "target": "q", "ttl": 10}],
    "encrypted_param_names": [],
    "parameter_merge_strategies": {"p_list": "merge", "p_map": "deep_merge"},
}


@st.composite
def _environments(draw: Draw, *, of_file: bool, sound: bool) -> Any:
    environment = copy.deepcopy(_ENVIRONMENT)
    if not of_file:
        del environment["parameter_merge_strategies"]
    if of_file or draw(st.booleans()):
        del environment["event_sinks"]  # two lists of sinks cannot be merged
    if sound:
        return environment
    for section in draw(st.lists(st.sampled_from([*environment]), unique=True, max_size=2)):
        del environment[section]
    if draw(st.integers(0, 3)) == 0:
        draw(broken(environment, VERSIONS[-1]))
    return environment


@st.composite
def wholes(draw: Draw, *, sound: bool = False) -> Whole:
    """A template with its environment, environment files, nested templates and other files."""
    inner_sound = sound or draw(st.booleans())
    inner = draw(documents(nested=draw(st.integers(0, 4)) == 0, sound=inner_sound))
    files = {"f.txt": draw(st.sampled_from(["content", "", "\u2603", "\x00"]))}
    files[NESTED] = as_text(inner)  # it may hold itself
    names = [f"env{number}.yaml" for number in range(draw(st.integers(0, 2)))]
    for name in names:
        files[name] = as_text(draw(_environments(of_file=True, sound=sound)))
    if not sound and draw(st.integers(0, 49)) == 37:
        names.append(draw(st.sampled_from(["missing.yaml", "f.txt", NESTED])))
    return Whole(
        document=draw(documents(nested=True, sound=sound)),
        parameters=draw(_environments(of_file=False, sound=sound)),
        files=files,
        environment_files=tuple(names),
    )
