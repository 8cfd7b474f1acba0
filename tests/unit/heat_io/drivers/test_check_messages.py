"""The message that asks for a visit."""

from __future__ import annotations

from site_of_tests import (
    CONTEXT,
    TRAVERSAL,
)

from heat_core.convergence import Node
from heat_io.drivers.check_messages import check_cast
from heat_io.messaging import ENGINE_WORKER


def test_the_message_has_all_that_heat_sends() -> None:
    # rules/i-convergence.md#9
    cast = check_cast(Node(7, False), TRAVERSAL, {"input_data": {"k": 1}}, CONTEXT)
    assert (cast.target, cast.method) == (ENGINE_WORKER, "check_resource")
    assert cast.arguments == {
        "resource_id": 7,
        "current_traversal": TRAVERSAL,
        "data": {"input_data": {"k": 1}},
        "is_update": False,
        "adopt_stack_data": None,
        "converge": False,
        "skip_propagate": False,
        "accumulated_failures": None,
        "node_type": "resource",
        "abandon": False,
    }
    assert cast.context == CONTEXT
    skipping = check_cast(Node(7, True), TRAVERSAL, {}, CONTEXT, {"a": "why"}, True)
    assert skipping.arguments["accumulated_failures"] == {"a": "why"}
    assert skipping.arguments["skip_propagate"] is True
