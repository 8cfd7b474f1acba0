"""A small stack for functions to stand in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from heat_core.environment import Environment
from heat_core.stack import NodeData, StackDefinition
from heat_core.template import Resolution, Template, parse
from heat_core.template.parser import root

PATH = "outputs.probe.value"


class Stage:
    """Parses snippets in a definition and asks them everything."""

    def __init__(self, definition: StackDefinition, nodes: Mapping[str, NodeData]) -> None:
        self.definition = definition
        self.at: Resolution = definition.resolution(nodes)

    def parse(self, snippet: Any) -> Any:
        scope = self.definition.scope
        return parse(scope.version.functions, scope, snippet, root(PATH))

    def resolve(self, snippet: Any) -> Any:
        from heat_core.template import resolve

        return resolve(self.parse(snippet), self.at)


DOCUMENT = {
    "heat_template_version": "2021-04-16",
    "parameters": {
        "p": {"type": "string", "default": "hello"},
        "n": {"type": "number", "default": 7},
        "l": {"type": "comma_delimited_list", "default": "x,y"},
        "j": {"type": "json", "default": {"k": {"deep": [10, {"z": "end"}]}}},
        "missing": {"type": "string"},
    },
    "conditions": {"yes": True, "no": {"not": "yes"}},
    "resources": {
        "srv": {"type": "OS::Heat::TestResource"},
        "off": {"type": "OS::Heat::None", "condition": "no"},
    },
}
NODES = {
    "srv": NodeData(
        id=1,  # type: ignore[arg-type]  # a plain number does here
        name="srv",
        uuid="u-1",
        reference_id="srv-id",
        attributes={
            "name": "web",
            "tags": ["a", "b"],
            ("tags", 1): "b",
            "show": {"id": "srv-id"},
            "bad": ValueError("no such luck"),
        },
        action="CREATE",
        status="COMPLETE",
    )
}


@pytest.fixture
def make_stage() -> Callable[..., Stage]:
    def make(
        version: str = "2021-04-16",
        *,
        nodes: Mapping[str, NodeData] | None = None,
        files: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> Stage:
        document = {**DOCUMENT, "heat_template_version": version}
        if version < "2016-10-14":
            del document["conditions"]
            document["resources"] = {"srv": {"type": "OS::Heat::TestResource"}}
        template = Template(
            document, files=files, environment=Environment({"parameters": parameters})
        )
        definition = StackDefinition.build(
            template, stack_name="demo", stack_id="id-1", project_id="project-1"
        )
        return Stage(definition, NODES if nodes is None else nodes)

    return make


@pytest.fixture
def stage(make_stage: Callable[..., Stage]) -> Stage:
    return make_stage()


@pytest.fixture
def cfn_stage() -> Stage:
    document = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Parameters": {"p": {"Type": "String", "Default": "hello"}},
        "Mappings": {"Sizes": {"small": {"ram": 1}}},
        "Conditions": {"Yes": True},
        "Resources": {"srv": {"Type": "OS::Heat::TestResource"}},
    }
    definition = StackDefinition.build(
        Template(document), stack_name="demo", stack_id="id-1", project_id="project-1"
    )
    return Stage(definition, NODES)
