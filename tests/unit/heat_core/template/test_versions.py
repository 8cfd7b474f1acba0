"""The version table, against the facts."""

import json
from pathlib import Path
from typing import Any

import pytest

from heat_core.errors import InvalidTemplateVersion
from heat_core.template import VERSIONS, TemplateVersion, version_of
from heat_core.template.functions import cfn, conditionals, references, refused, repeat, strings

# Names of the facts that differ from the names of the classes.
_NAMES = {
    "cfn.Ref": cfn.ref,
    "cfn.Join": strings.Join,
    "hot.Join": strings.Join,
    "cfn.Replace": strings.CfnReplace,
    "hot.Replace": strings.Replace,
    "hot.Removed": refused.Removed,
    "hot.RepeatWithNestedLoop": repeat.RepeatWithNestedLoop,
    "hot.GetAttThenSelect": references.GetAttThenSelect,
    "cfn.Equals": conditionals.Equals,
    "cfn.And": conditionals.And,
    "cfn.Or": conditionals.Or,
    "cfn.Not": conditionals.CfnNot,
    "hot.Not": conditionals.Not,
    "cfn.If": conditionals.If,
}


@pytest.fixture(scope="module")
def facts(shared: Path) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((shared / "facts/template-versions.json").read_text())
    return table["classes"]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_every_version_is_as_recorded(version: TemplateVersion, facts: dict[str, Any]) -> None:
    fact = facts[version.name]
    assert version.dialect == fact["type"]
    assert list(version.aliases) == fact["aliases"]
    assert list(version.sections) == fact["sections"]
    assert version.resource_keys == set(fact["resource_keys"])
    assert version.output_keys == set(fact["output_keys"])
    assert version.has_conditions == fact["has_conditions"]
    assert dict(version.deletion_policies) == fact["deletion_policies"]
    assert version.has_parameter_tags == ("tags" in fact["parameter"]["keys"])
    assert version.has_modulo == ("modulo" in fact["parameter"]["constraints"])
    usable = {name for name, maker in version.functions.items() if maker is not refused.Removed}
    assert usable == set(fact["functions"])
    assert set(version.functions) - usable == set(fact["removed_functions"])
    assert set(version.condition_functions) == set(fact["condition_functions"])
    for table, wanted in (
        (version.functions, fact["functions"]),
        (version.condition_functions, fact["condition_functions"]),
    ):
        for name, label in wanted.items():
            if label in _NAMES:
                assert table[name] is _NAMES[label], name
            else:
                made = getattr(table[name], "__name__", "")
                assert made in (label.split(".")[1], f"Cfn{label.split('.')[1]}"), name


def test_there_are_thirteen(facts: dict[str, Any]) -> None:
    assert {version.name for version in VERSIONS} == set(facts)


def test_a_document_chooses_its_version() -> None:
    assert version_of({"heat_template_version": "rocky"}).value == "2018-08-31"
    both = {"heat_template_version": "2018-08-31", "HeatTemplateFormatVersion": None}
    assert version_of(both).dialect == "hot"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({}, "Template version was not provided"),
        ({"heat_template_version": 2013}, "Template version was not provided"),
        (
            {"heat_template_version": "rocky", "AWSTemplateFormatVersion": "2010-09-09"},
            "Ambiguous versions (",
        ),
        (
            {"AWSTemplateFormatVersion": "2010"},
            '"AWSTemplateFormatVersion: 2010". "AWSTemplateFormatVersion" should be: 2010-09-09',
        ),
        ({"heat_template_version": "train"}, "should be one of: 2013-05-23, 2014-10-16, "),
    ],
)
def test_other_versions_are_refused(document: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidTemplateVersion) as caught:
        version_of(document)
    assert text in str(caught.value)
