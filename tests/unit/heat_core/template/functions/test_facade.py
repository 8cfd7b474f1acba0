"""resource_facade."""

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.stack import StackDefinition
from heat_core.template import ParentResource, Template

PARENT = ParentResource(metadata={"m": 1}, deletion_policy="Retain", update_policy=None)


def _value(argument: str, parent: ParentResource | None = PARENT) -> object:
    document = {
        "heat_template_version": "2013-05-23",
        "outputs": {"o": {"value": {"resource_facade": argument}}},
    }
    definition = StackDefinition.build(Template(document), parent=parent)
    return definition.resolve(definition.outputs["o"].value)


def test_the_parent_is_seen() -> None:
    assert _value("metadata") == {"m": 1}
    assert _value("deletion_policy") == "Retain"
    assert _value("update_policy") == {}


def test_other_words_are_refused() -> None:
    with pytest.raises(StackValidationFailed, match="should be one of: metadata, deletion_policy"):
        _value("properties")


def test_without_a_parent_there_is_nothing_to_see() -> None:
    with pytest.raises(AttributeError):
        _value("metadata", None)


def test_the_cfn_spelling() -> None:
    document = {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Outputs": {"o": {"Value": {"Fn::ResourceFacade": "DeletionPolicy"}}},
    }
    definition = StackDefinition.build(Template(document), parent=PARENT)
    assert definition.resolve(definition.outputs["o"].value) == "Retain"
