"""Our parsing, validation and resolution, timed in a process of its own, as _template_heat's."""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from bench._template_sizes import PROJECT, REPEATS, attributes, template_text
from heat_core.stack import NodeData, ResourceId, StackDefinition
from heat_core.template import Template, parse_text


def run(text: str, size: int) -> tuple[float, float, float]:
    began = time.process_time()
    template = Template(parse_text(text))
    parsed = time.process_time()
    definition = StackDefinition.build(
        template, stack_name="bench", stack_id="i", project_id=PROJECT
    )
    definition.validate()
    validated = time.process_time()
    nodes = {
        name: NodeData(
            ResourceId(number), name, f"uuid-{number}", name, attributes(name), "CREATE", "COMPLETE"
        )
        for number, name in enumerate(definition.resources)
    }
    found = [values(definition, name, nodes) for name in definition.resources]
    outputs = {
        name: definition.resolve(output.value, nodes) for name, output in definition.outputs.items()
    }
    resolved = time.process_time()
    assert len(found) == size
    assert outputs["login_0"] == "ssh app@10.0.0.10", outputs
    return parsed - began, validated - parsed, resolved - validated


def values(definition: StackDefinition, name: str, nodes: Any) -> dict[str, Any]:
    """The values of a resource's properties."""
    from heat_core.resources import bind

    frozen = definition.resources[name].freeze(definition, nodes)
    return bind(definition.resource_class(name), frozen.properties).values_by_name()


def main(size: int) -> None:
    run(template_text(10), 10)
    text = template_text(size)
    runs = [run(text, size) for _ in range(REPEATS[size])]
    best = [min(times) for times in zip(*runs, strict=True)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": best, "peak_kib": peak}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
