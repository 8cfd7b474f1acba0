"""Classes behind types."""

import pytest

from heat_core.errors import InvalidSchemaError, StackValidationFailed
from heat_core.resources import registry
from heat_core.resources.nested import TemplateResource, class_of
from tests.nested_stage import INNER, definition_of


def test_built_in_types() -> None:
    template = definition_of({}).template
    assert class_of(template, "OS::Heat::Value", "r") is registry.find("OS::Heat::Value")


def test_templates_by_file_name_and_by_the_environment() -> None:
    template = definition_of(
        {}, environment={"resource_registry": {"My::T": "inner.yaml", "OS::Heat::Value": "My::T"}}
    ).template
    for name in ("inner.yaml", "My::T", "OS::Heat::Value"):
        found = class_of(template, name, "r")
        assert issubclass(found, TemplateResource)
        assert set(found.properties) == {"need", "size"}


def test_a_class_is_made_once_for_a_content() -> None:
    files = {"a.yaml": INNER}
    one = class_of(definition_of({}, files=files).template, "a.yaml", "r")
    again = class_of(definition_of({}, files=files).template, "a.yaml", "other")
    assert one is again
    changed = class_of(definition_of({}, files={"a.yaml": INNER + "\n"}).template, "a.yaml", "r")
    assert changed is not one
    assert changed.implementation() is one.implementation() is TemplateResource


def test_unknown_types() -> None:
    template = definition_of({}).template
    for name in ("No::Such", "", None, "inner.yml"):
        with pytest.raises(StackValidationFailed):
            class_of(template, name, "r")


def test_parameters_that_are_wrong_are_said_at_once() -> None:
    files = {"a.yaml": "heat_template_version: 2018-08-31\nparameters: {p: {type: text}}\n"}
    with pytest.raises(InvalidSchemaError, match=r"Invalid type \(text\)"):
        class_of(definition_of({}, files=files).template, "a.yaml", "r")
