"""Templates as users write them parse and resolve."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from heat_core.environment import Environment, parse_environment
from heat_core.parameters import describe
from heat_core.properties import Kind
from heat_core.resources import registry
from heat_core.stack import NodeData, ResourceId, StackDefinition
from heat_core.stack.validation import dependency_order
from heat_core.template import Template, parse_text
from heat_core.template.functions.references import select_path

# For parameters without a default: something of the right kind.
_DUMMIES = {
    Kind.STRING: "dummy",
    Kind.NUMBER: 1,
    Kind.LIST: "a,b",
    Kind.MAP: {"a": 1},
    Kind.BOOLEAN: True,
}


def _definition(path: Path, *, with_values: bool = False) -> StackDefinition:
    environment: dict[str, Any] = {}
    companion = path.with_suffix(".env.yaml")
    if companion.exists():
        environment = parse_environment(companion.read_text())
    files = {one.name: one.read_text() for one in path.parent.iterdir() if one.is_file()}
    document = parse_text(path.read_text())
    values = environment.pop("parameters", {})
    if with_values:
        schemata = Template(document).parameter_schemata()
        missing = {name: one for name, one in schemata.items() if one.default is None}
        values = {name: _DUMMIES[one.kind] for name, one in missing.items()} | values
    template = Template(
        document,
        files=files,
        environment=Environment.from_dict({"parameters": values, **environment}),
    )
    return StackDefinition.build(template, stack_name="s", stack_id="i", project_id="p")


def _examples(shared: Path) -> list[Path]:
    return sorted(
        path
        for path in (shared / "examples").iterdir()
        if path.with_suffix(".validate.json").exists() and ".validate" not in path.name
    )


class _Attributes(Mapping[Any, Any]):
    """The value of a Value, and some text for every attribute of other types."""

    def __init__(self, type_name: str, properties: Mapping[str, Any]) -> None:
        self._is_value = type_name == "OS::Heat::Value"
        self._value = properties.get("value")

    def __getitem__(self, key: Any) -> Any:
        if not self._is_value:
            return "some text"
        return select_path(self._value, key[1:]) if isinstance(key, tuple) else self._value

    def __iter__(self) -> Iterator[Any]:
        return iter(["value"])

    def __len__(self) -> int:
        return 1


def _nodes(definition: StackDefinition) -> dict[str, NodeData]:
    """Every resource made, one after those that it needs."""
    nodes: dict[str, NodeData] = {}
    for number, name in enumerate(dependency_order(definition)):
        frozen = definition.resources[name].freeze(definition, nodes)
        attributes = _Attributes(frozen.type, frozen.properties)
        nodes[name] = NodeData(
            ResourceId(number), name, "uuid", f"id-{name}", attributes, "CREATE", "COMPLETE"
        )
    return nodes


def test_every_example_parses_and_resolves(shared: Path) -> None:
    paths = _examples(shared)
    assert len(paths) > 25
    for path in paths:
        definition = _definition(path, with_values=True)
        definition.template.validate_sections()
        definition.conditions.validate()
        nodes = _nodes(definition)
        for name, resource in definition.resources.items():
            assert resource.freeze(definition, nodes).type == resource.type
            assert definition.requires[name] <= set(definition.resources)
            definition.referenced_attributes(name)
        for output in definition.outputs.values():
            json.dumps(definition.resolve(output.value, nodes))


def test_every_example_describes_its_parameters(shared: Path) -> None:
    for path in _examples(shared):
        definition = _definition(path)
        answer = json.loads(path.with_suffix(".validate.json").read_text())
        described = {one.name: describe(one) for one in definition.parameters.of_template()}
        assert described == answer["Parameters"], path.name
        assert definition.description == answer["Description"]
        assert (definition.template.parameter_groups or None) == answer.get("ParameterGroups")


def _types(definition: StackDefinition) -> set[str]:
    return {resource.type for resource in definition.resources.values()}


def test_examples_of_types_that_are_built_in_validate(shared: Path) -> None:
    checked = []
    for path in _examples(shared):
        definition = _definition(path)
        if all(registry.is_known(name) for name in _types(definition)):
            definition.validate(strict=False)
            checked.append(path.name)
    assert {"string-and-list-functions.yaml", "parameter-constraints.yaml"} <= set(checked)


@pytest.mark.parametrize("name", ["string-and-list-functions.yaml"])
def test_all_data_functions_have_their_values(shared: Path, name: str) -> None:
    definition = _definition(shared / "examples" / name)
    values = {key: definition.resolve(one.value) for key, one in definition.outputs.items()}
    assert len(values) == 15
    assert None not in values.values()
