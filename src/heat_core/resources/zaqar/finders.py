"""Names of queues (facts/constraints.json)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from heat_core.procedure import ProcedureIO

SERVICE = "messaging"


async def get_queue(io: ProcedureIO, value: str) -> str:
    """The name of a queue: any will do, as queues come to be when they are used."""
    if not isinstance(value, str):
        raise TypeError("Queue name must be a string")
    if not 0 < len(value) <= 64:
        raise ValueError("Queue name length must be 1-64")
    return value


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "get_queue": get_queue,
}
