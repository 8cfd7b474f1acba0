from __future__ import annotations

from typing import Any


async def _outputs(world: Any, template: Any, outputs: dict[str, Any]) -> dict[str, Any]:
    identity = await world.create(template={**template, "outputs": outputs})
    await world.add_resource(identity, "a", physical_id="phys-a")
    (shown,) = await world.call("show_stack", stack_identity=identity)
    return {output["output_key"]: output for output in shown["outputs"]}


async def test_only_what_outputs_need_is_read(world: Any, template: Any) -> None:
    await _outputs(
        world,
        template,
        {
            "attribute": {"value": {"get_attr": ["a", "output", "deep"]}},
            "reference": {"value": {"get_resource": "b"}},
            "text": {"value": "x"},
        },
    )
    (asked,) = world.attributes.asked
    assert asked == {"a": {("output", "deep")}, "b": set()}


async def test_a_stack_without_outputs_reads_nothing(world: Any, template: Any) -> None:
    assert await _outputs(world, template, {}) == {}
    assert world.attributes.asked == []


async def test_resources_that_are_not_there_yet(world: Any, template: Any) -> None:
    shown = await _outputs(
        world,
        template,
        {
            "reference": {"value": {"get_resource": "a"}},
            "missing": {"value": {"get_resource": "b"}},
            "stranger": {"value": {"get_resource": "nobody"}},
        },
    )
    assert shown["reference"]["output_value"] == "phys-a"
    assert shown["missing"]["output_value"] == "b"
    assert shown["stranger"]["output_value"] is None
    assert 'The specified reference "nobody"' in shown["stranger"]["output_error"]
