"""Names that could have been meant."""

from typing import Any

import pytest

from heat_app.validate import names
from heat_core.environment import Environment
from heat_core.stack import StackDefinition
from heat_core.template import Template


@pytest.fixture
def definition() -> StackDefinition:
    document: dict[str, Any] = {
        "heat_template_version": "2018-08-31",
        "parameters": {"p": {"type": "string"}},
        "conditions": {"c": True},
        "resources": {
            "port": {"type": "OS::Neutron::Port"},
            "group": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"resource_def": {"type": "OS::Heat::RandomString"}},
            },
        },
    }
    registry = {"resource_registry": {"My::Type": "OS::Heat::None"}}
    return StackDefinition.build(Template(document, environment=Environment.from_dict(registry)))


def test_nearest() -> None:
    assert names.nearest("lenght", ["width", "length"]) == "length"
    assert names.nearest("LENGTH", ["length"]) == "length"
    assert names.nearest("xyz", ["length"]) is None
    assert names.nearest("length", ["length"]) is None
    assert names.nearest("get_parm", ["get_param"], close=0.99) is None


def test_types(definition: StackDefinition) -> None:
    known = set(names.type_names(definition))
    assert {"OS::Heat::None", "My::Type", "OS::Metering::Alarm"} & known >= {
        "OS::Heat::None",
        "My::Type",
    }
    assert "My::Type" not in set(names.type_names(None))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("resources.port.properties", "fixed_ips"),
        ("resources.port.properties.fixed_ips[0]", "ip_address"),
        ("resources.group.properties.removal_policies[0]", "resource_list"),
        ("resources.group.update_policy.rolling_update", "max_batch_size"),
        ("resources.group.properties.resource_def.properties", "character_classes"),
        ("resources.group.properties.resource_def.properties.character_classes[1]", "class"),
    ],
)
def test_properties(definition: StackDefinition, path: str, name: str) -> None:
    assert name in names.property_names(definition, path)


@pytest.mark.parametrize(
    "path",
    ["", "resources", "resources.none.properties", "resources.port.properties.name.below"],
)
def test_no_properties(definition: StackDefinition, path: str) -> None:
    assert names.property_names(definition, path) == []


def test_what_a_template_names(definition: StackDefinition) -> None:
    assert "fixed_ips" in names.attribute_names(definition, "port")
    assert "show" in names.attribute_names(definition, "port")
    assert names.resource_names(definition) == ["port", "group"]
    assert names.parameter_names(definition)[0] == "p"
    assert "OS::stack_id" in names.parameter_names(definition)
    assert names.condition_names(definition) == ["c"]


def test_without_a_definition_there_are_none() -> None:
    assert names.property_names(None, "resources.a.properties") == []
    assert names.attribute_names(None, "a") == []
    assert names.resource_names(None) == []
    assert names.parameter_names(None) == []
    assert names.condition_names(None) == []
