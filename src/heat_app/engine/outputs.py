"""Values of outputs: what they read of resources is fetched live, then they are resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from heat_app.engine.formatting import shown_output
from heat_app.engine.ports import Parts
from heat_core.rpc import dumps
from heat_core.stack import NodeData, StackDefinition, StackRecord
from heat_io.drivers.nested_reading import read_for_outputs
from heat_io.sandbox.evaluation import evaluate


async def resolved_outputs(
    parts: Parts,
    stack: StackRecord,
    definition: StackDefinition,
    keys: Iterable[str] | None = None,
) -> list[dict[str, Any]]:
    """The outputs of `keys` (all of them by default) with their values.

    One that cannot be resolved has a null value and the reason as `output_error`.
    """
    wanted = await evaluate(lambda: list(definition.outputs if keys is None else keys))
    if not wanted:
        return []
    nodes = await read_for_outputs(parts.attributes, stack, definition, wanted)
    return await evaluate(_resolved, definition, wanted, nodes)


async def planned_outputs(definition: StackDefinition) -> list[dict[str, Any]]:
    """The outputs of a stack that is not made, with what follows from its template alone."""
    wanted = await evaluate(lambda: list(definition.outputs))
    return await evaluate(_resolved, definition, wanted, {})


def _resolved(
    definition: StackDefinition, wanted: Sequence[str], nodes: Mapping[str, NodeData]
) -> list[dict[str, Any]]:
    shown = []
    for key in wanted:
        output = definition.outputs[key]
        entry = shown_output(key, output.description)
        try:
            value = definition.resolve(output.value, nodes)
            dumps(value)
        except Exception as error:  # whatever a user's function says goes into the output
            entry["output_error"] = str(error)
            value = None
        entry["output_value"] = value
        shown.append(entry)
    return shown
