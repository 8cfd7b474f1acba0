"""resource_facade in nested stacks."""

from heat_core.resources.nested import child_definition
from tests.nested_stage import definition_of, stage

FACADE = """
heat_template_version: 2018-08-31
outputs:
  m: {value: {resource_facade: metadata}}
  d: {value: {resource_facade: deletion_policy}}
  u: {value: {resource_facade: update_policy}}
"""


def seen(resource: dict[str, object]) -> dict[str, object]:
    definition = definition_of(
        {"n": {"type": "f.yaml", **resource}},
        files={"f.yaml": FACADE},
        parameters={"p": {"type": "string", "default": "pv"}},
    )
    made, at = stage(definition, "n")
    child = child_definition(made, at, made.child_template(at))
    return {name: child.resolve(output.value) for name, output in child.outputs.items()}


def test_what_the_parent_says_is_resolved_in_the_parent() -> None:
    assert seen(
        {
            "metadata": {"x": {"get_param": "p"}},
            "deletion_policy": "Retain",
            "update_policy": {"y": [1]},
        }
    ) == {"m": {"x": "pv"}, "d": "Retain", "u": {"y": [1]}}


def test_what_the_parent_does_not_say() -> None:
    assert seen({}) == {"m": {}, "d": "Delete", "u": {}}
