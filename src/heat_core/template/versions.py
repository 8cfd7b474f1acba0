"""The 13 template versions as data: sections, keys, functions (facts/template-versions.json).

A version is a TemplateVersion. Function tables are given as what changes from the version before,
the way the language grew; the whole table of each is worked out once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from heat_core.errors import InvalidTemplateVersion
from heat_core.template.functions import (
    cfn,
    conditionals,
    digest,
    facade,
    files,
    lists,
    make_url,
    maps,
    references,
    refused,
    repeat,
    strings,
    yaql,
)
from heat_core.template.parser import FunctionMaker

Dialect = Literal["hot", "cfn"]


@dataclass(frozen=True, slots=True)
class Names:
    """How a dialect spells the sections and the keys inside them."""

    description: str
    parameters: str
    resources: str
    outputs: str
    conditions: str
    mappings: str
    type: str
    properties: str
    metadata: str
    depends_on: str
    deletion_policy: str
    update_policy: str
    resource_description: str
    external_id: str
    condition: str
    output_value: str
    output_description: str
    condition_types: str
    """what error texts call the types that a resource's condition may have"""


HOT_NAMES = Names(
    description="description",
    parameters="parameters",
    resources="resources",
    outputs="outputs",
    conditions="conditions",
    mappings="__undefined__",
    type="type",
    properties="properties",
    metadata="metadata",
    depends_on="depends_on",
    deletion_policy="deletion_policy",
    update_policy="update_policy",
    resource_description="description",
    external_id="external_id",
    condition="condition",
    output_value="value",
    output_description="description",
    condition_types="string_or_boolean",
)
CFN_NAMES = Names(
    description="Description",
    parameters="Parameters",
    resources="Resources",
    outputs="Outputs",
    conditions="Conditions",
    mappings="Mappings",
    type="Type",
    properties="Properties",
    metadata="Metadata",
    depends_on="DependsOn",
    deletion_policy="DeletionPolicy",
    update_policy="UpdatePolicy",
    resource_description="Description",
    external_id="",
    condition="Condition",
    output_value="Value",
    output_description="Description",
    condition_types="string or boolean",
)

FunctionNames = Mapping[str, FunctionMaker]


@dataclass(frozen=True, eq=False)
class TemplateVersion:
    """One version of the language."""

    key: str
    value: str
    dialect: Dialect
    names: Names
    functions: FunctionNames
    condition_functions: FunctionNames = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    has_conditions: bool = False
    deletion_policies: Mapping[str, str] = field(default_factory=dict)
    has_modulo: bool = False
    has_parameter_tags: bool = False
    condition_table: FunctionNames = field(init=False)
    """functions that a condition is parsed with: others are refused (rules/a#28)"""

    def __post_init__(self) -> None:
        table: dict[str, FunctionMaker] = {}
        for name, maker in self.functions.items():
            kept = self.dialect == "hot" and self.has_conditions and maker is refused.Removed
            table[name] = maker if kept else refused.Invalid
        table.update(self.condition_functions)
        object.__setattr__(self, "condition_table", MappingProxyType(table))

    @property
    def name(self) -> str:
        """ "heat_template_version.2018-08-31", as clients see it."""
        return f"{self.key}.{self.value}"

    @property
    def sections(self) -> tuple[str, ...]:
        """Keys that may stand at the top of a document."""
        if self.dialect == "cfn":
            sections = (
                "AWSTemplateFormatVersion",
                "HeatTemplateFormatVersion",
                "Description",
                "Mappings",
                "Parameters",
                "Resources",
                "Outputs",
            )
        else:
            sections = (
                "heat_template_version",
                "description",
                "parameter_groups",
                "parameters",
                "resources",
                "outputs",
                "__undefined__",
            )
        return (*sections, self.names.conditions) if self.has_conditions else sections

    @property
    def resource_keys(self) -> frozenset[str]:
        """Keys that a resource may have in this version."""
        names = self.names
        keys = {
            names.type,
            names.properties,
            names.metadata,
            names.depends_on,
            names.deletion_policy,
            names.update_policy,
            names.resource_description,
        }
        if self.has_conditions:
            keys.add(names.condition)
            if self.dialect == "hot":
                keys.add(names.external_id)
        return frozenset(keys)

    @property
    def output_keys(self) -> frozenset[str]:
        """Keys that an output may have in this version."""
        keys = {self.names.output_description, self.names.output_value}
        if self.has_conditions:
            keys.add(self.names.condition)
        return frozenset(keys)


_CFN_FUNCTIONS: dict[str, FunctionMaker] = {
    "Fn::FindInMap": cfn.FindInMap,
    "Fn::GetAZs": cfn.GetAZs,
    "Ref": cfn.ref,
    "Fn::GetAtt": cfn.CfnGetAtt,
    "Fn::Select": cfn.Select,
    "Fn::Join": strings.Join,
    "Fn::Split": cfn.Split,
    "Fn::Replace": strings.CfnReplace,
    "Fn::Base64": cfn.Base64,
    "Fn::MemberListToMap": cfn.MemberListToMap,
    "Fn::ResourceFacade": facade.CfnResourceFacade,
}
_CFN_CONDITION_FUNCTIONS: dict[str, FunctionMaker] = {
    "Fn::Equals": conditionals.Equals,
    "Ref": cfn.ParamRef,
    "Fn::FindInMap": cfn.FindInMap,
    "Fn::Not": conditionals.CfnNot,
    "Fn::And": conditionals.And,
    "Fn::Or": conditionals.Or,
}
_POLICIES = {"Delete": "Delete", "Retain": "Retain", "Snapshot": "Snapshot"}
_POLICIES_ANY_CASE = _POLICIES | {"delete": "Delete", "retain": "Retain", "snapshot": "Snapshot"}

_REMOVED_2014 = (
    "Fn::Base64",
    "Fn::GetAZs",
    "Fn::Join",
    "Fn::MemberListToMap",
    "Fn::Replace",
    "Fn::ResourceFacade",
    "Fn::Split",
    "Ref",
)
_HOT_2013: dict[str, FunctionMaker] = {
    "get_param": references.GetParam,
    "get_resource": references.GetResource,
    "get_attr": references.GetAttThenSelect,
    "get_file": files.GetFile,
    "list_join": strings.Join,
    "str_replace": strings.Replace,
    "resource_facade": facade.ResourceFacade,
    "Ref": cfn.ref,
    "Fn::GetAZs": cfn.GetAZs,
    "Fn::Select": cfn.Select,
    "Fn::Join": strings.Join,
    "Fn::Split": cfn.Split,
    "Fn::Replace": strings.CfnReplace,
    "Fn::Base64": cfn.Base64,
    "Fn::MemberListToMap": cfn.MemberListToMap,
    "Fn::ResourceFacade": facade.CfnResourceFacade,
}
_HOT_2014 = (
    _HOT_2013 | {"get_attr": references.GetAtt} | dict.fromkeys(_REMOVED_2014, refused.Removed)
)
_HOT_2015_04 = _HOT_2014 | {"repeat": repeat.Repeat, "digest": digest.Digest}
_HOT_2015_10 = _HOT_2015_04 | {
    "get_attr": references.GetAttAllAttributes,
    "list_join": strings.JoinMultiple,
    "str_replace": strings.ReplaceJson,
    "str_split": strings.StrSplit,
    "Fn::Select": refused.Removed,
}
_HOT_2016_04 = _HOT_2015_10 | {"map_merge": maps.MapMerge}
_HOT_2016_10 = _HOT_2016_04 | {
    "repeat": repeat.RepeatWithMap,
    "yaql": yaql.Yaql,
    "map_replace": maps.MapReplace,
    "if": conditionals.If,
}
_HOT_2017_02 = _HOT_2016_10 | {
    "filter": lists.Filter,
    "str_replace_strict": strings.ReplaceJsonStrict,
}
_HOT_2017_09 = _HOT_2017_02 | {
    "repeat": repeat.RepeatWithNestedLoop,
    "make_url": make_url.MakeURL,
    "list_concat": lists.ListConcat,
    "list_concat_unique": lists.ListConcatUnique,
    "str_replace_vstrict": strings.ReplaceJsonVeryStrict,
    "contains": conditionals.Contains,
}
_HOT_2021 = _HOT_2017_09 | {"if": conditionals.IfNullable}

_CONDITIONS_2016: dict[str, FunctionMaker] = {
    "get_param": references.GetParam,
    "equals": conditionals.Equals,
    "not": conditionals.Not,
    "and": conditionals.And,
    "or": conditionals.Or,
}
_CONDITIONS_2017 = _CONDITIONS_2016 | {"yaql": yaql.Yaql, "contains": conditionals.Contains}


def _hot(value: str, functions: FunctionNames, **traits: Any) -> TemplateVersion:
    conditions = "condition_functions" in traits
    return TemplateVersion(
        key="heat_template_version",
        value=value,
        dialect="hot",
        names=HOT_NAMES,
        functions=functions,
        has_conditions=conditions,
        deletion_policies=_POLICIES_ANY_CASE if conditions else _POLICIES,
        **traits,
    )


VERSIONS: tuple[TemplateVersion, ...] = (
    TemplateVersion(
        key="AWSTemplateFormatVersion",
        value="2010-09-09",
        dialect="cfn",
        names=CFN_NAMES,
        functions=_CFN_FUNCTIONS | {"Fn::If": conditionals.If},
        condition_functions=_CFN_CONDITION_FUNCTIONS,
        has_conditions=True,
        deletion_policies=_POLICIES,
    ),
    TemplateVersion(
        key="HeatTemplateFormatVersion",
        value="2012-12-12",
        dialect="cfn",
        names=CFN_NAMES,
        functions=_CFN_FUNCTIONS,
        deletion_policies=_POLICIES,
    ),
    _hot("2013-05-23", _HOT_2013),
    _hot("2014-10-16", _HOT_2014),
    _hot("2015-04-30", _HOT_2015_04),
    _hot("2015-10-15", _HOT_2015_10),
    _hot("2016-04-08", _HOT_2016_04),
    _hot("2016-10-14", _HOT_2016_10, aliases=("newton",), condition_functions=_CONDITIONS_2016),
    _hot(
        "2017-02-24",
        _HOT_2017_02,
        aliases=("ocata",),
        condition_functions=_CONDITIONS_2016,
        has_modulo=True,
    ),
    _hot(
        "2017-09-01",
        _HOT_2017_09,
        aliases=("pike",),
        condition_functions=_CONDITIONS_2017,
        has_modulo=True,
    ),
    _hot(
        "2018-03-02",
        _HOT_2017_09,
        aliases=("queens",),
        condition_functions=_CONDITIONS_2017,
        has_modulo=True,
        has_parameter_tags=True,
    ),
    _hot(
        "2018-08-31",
        _HOT_2017_09,
        aliases=("rocky",),
        condition_functions=_CONDITIONS_2017,
        has_modulo=True,
        has_parameter_tags=True,
    ),
    _hot(
        "2021-04-16",
        _HOT_2021,
        aliases=("wallaby",),
        condition_functions=_CONDITIONS_2017,
        has_modulo=True,
        has_parameter_tags=True,
    ),
)

_BY_NAME: dict[tuple[str, str], TemplateVersion] = {
    (version.key, value): version
    for version in VERSIONS
    for value in (version.value, *version.aliases)
}
_KEYS = tuple(dict.fromkeys(version.key for version in VERSIONS))


def version_of(document: Mapping[Any, Any]) -> TemplateVersion:
    """The version that a document asks for. Raises InvalidTemplateVersion (rules/a#8-9)."""
    present = [key for key in _KEYS if isinstance(document.get(key), str)]
    if len(present) > 1:
        raise InvalidTemplateVersion(explanation=f"Ambiguous versions ({', '.join(present)})")
    if not present:
        raise InvalidTemplateVersion(explanation="Template version was not provided")
    key = present[0]
    value = document[key]
    version = _BY_NAME.get((key, value))
    if version is not None:
        return version
    known = sorted(value for known_key, value in _BY_NAME if known_key == key)
    should = "should be one of" if len(known) > 1 else "should be"
    raise InvalidTemplateVersion(
        explanation=f'"{key}: {value}". "{key}" {should}: {", ".join(known)}'
    )
