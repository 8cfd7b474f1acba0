"""What types ask beyond their schemas.

demands.jsonl has what Heat 27.0.1 answered when every service and every name was taken to be there:
type, properties, and null or the class and the text of the error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heat_core.errors import HeatException
from heat_core.properties import Answers
from heat_core.stack import StackDefinition
from heat_core.template import Template

RECORDED = [
    json.loads(line) for line in (Path(__file__).parent / "demands.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize(
    "recorded", RECORDED, ids=[f"{number}-{row['type']}" for number, row in enumerate(RECORDED)]
)
def test_demands_of_types(recorded: dict[str, Any]) -> None:
    resource = {"type": recorded["type"], "properties": recorded["properties"]}
    document = {"heat_template_version": "2018-08-31", "resources": {"r": resource}}
    definition = StackDefinition.build(Template(document), stack_name="s", project_id="p")

    assert mistake(definition) == recorded["error"]


def mistake(definition: StackDefinition) -> list[str] | None:
    try:
        definition.validate(answers=Answers(offline=True))
    except HeatException as error:
        return [type(error).__name__, str(error)]
    return None
