"""How much a job in the sandbox may take."""

from __future__ import annotations

from typing import NamedTuple

from heat_core.isolation import Job


class Limit(NamedTuple):
    """Bounds of one job.

    The processor's time is counted by the kernel, so that a busy machine fails nobody; the wall's
    time catches what waits instead of working.
    """

    cpu_seconds: float
    wall_seconds: float


LIMITS: dict[Job, Limit] = {
    Job.COMPILE: Limit(cpu_seconds=1.0, wall_seconds=15.0),
    Job.MATCH: Limit(cpu_seconds=1.0, wall_seconds=15.0),
    Job.YAQL_PARSE: Limit(cpu_seconds=1.0, wall_seconds=15.0),
    Job.YAQL: Limit(cpu_seconds=3.0, wall_seconds=30.0),
    # The largest template takes 1 s and 200 MiB.
    Job.YAML: Limit(cpu_seconds=15.0, wall_seconds=60.0),
}

MEMORY_BYTES = 768 * 1024 * 1024
"""Address space of a worker, the interpreter included."""

EVALUATION_SECONDS = 30.0
"""What all jobs of one evaluation (a validation, a node's properties) may take together."""
