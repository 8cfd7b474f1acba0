"""Convergence: the machines that carry a stack from one template to the next."""

from heat_core.convergence.machine import IllegalEvent, Machine, Table, diagram
from heat_core.convergence.node import Node, decode_deps, encode_deps, node_from_key
from heat_core.convergence.node_step import TABLE as NODE_STEP_TABLE
from heat_core.convergence.node_step import (
    NodeStep,
    base_decision,
    began_before,
    settled_outcome,
    stack_deadline,
)
from heat_core.convergence.propagation import arrivals, graph_node, next_in_chain
from heat_core.convergence.recovery import Owed, Traces, owed
from heat_core.convergence.selection import Selection, is_gone, score, select_rows
from heat_core.convergence.sync_point import (
    PREPARED,
    Arrival,
    Merged,
    entries,
    is_prepared,
    is_ready,
    merge,
    new_sync_points,
    node_results,
    read_mark,
    stack_sync_point,
)
from heat_core.convergence.traversal import TABLE as TRAVERSAL_TABLE
from heat_core.convergence.traversal import (
    SwitchTraversal,
    TemplateChange,
    Traversal,
    begins_again,
    may_begin,
    rolls_back,
)
from heat_core.convergence.traversal_graph import traversal_graph

__all__ = [
    "NODE_STEP_TABLE",
    "PREPARED",
    "TRAVERSAL_TABLE",
    "Arrival",
    "IllegalEvent",
    "Machine",
    "Merged",
    "Node",
    "NodeStep",
    "Owed",
    "Selection",
    "SwitchTraversal",
    "Table",
    "TemplateChange",
    "Traces",
    "Traversal",
    "arrivals",
    "base_decision",
    "began_before",
    "begins_again",
    "decode_deps",
    "diagram",
    "encode_deps",
    "entries",
    "graph_node",
    "is_gone",
    "is_prepared",
    "is_ready",
    "may_begin",
    "merge",
    "new_sync_points",
    "next_in_chain",
    "node_from_key",
    "node_results",
    "owed",
    "read_mark",
    "rolls_back",
    "score",
    "select_rows",
    "settled_outcome",
    "stack_deadline",
    "stack_sync_point",
    "traversal_graph",
]
