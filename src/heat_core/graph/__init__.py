"""Directed graphs: nodes, edges, topological order, cycles."""

from heat_core.graph.graph import CycleError, Graph, GraphBuilder, Transform, build_graph

__all__ = ["CycleError", "Graph", "GraphBuilder", "Transform", "build_graph"]
