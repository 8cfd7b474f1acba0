"""Stacks of three shapes by size: seconds, statements, commits, bytes of SQL, and peak memory.

    flat     N resources that know nothing of each other
    fan-in   N resources that one more requires
    chain    each requires the one before

Each is created, updated without a change and deleted, on SQLite in a file and, where a server is
there, on MariaDB (HEAT_TRIO_TEST_MYSQL; without one that half is not run). Limits: from 100 to
1000 resources, statements and bytes grow about as the resources do (exponent 1.25 at most). Heat,
without its pauses: flat of 100 created in 8 s and deleted in 11 s, fan-in of 500 created in 86 s,
an update without a change of 300 in 68 s.

    python -m bench.fan_in                              # all of them
    python -m bench.fan_in SHAPE SIZE [DATABASE_URL]    # one, in this process, as JSON

The second is what the first runs for each: memory and caches begin fresh.
"""

from __future__ import annotations

import json
import math
import os
import resource as process
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import trio
from sqlalchemy import make_url

from bench._deployment import Deployment, Measured
from bench.database import admin
from heat_io.asyncio_loop import open_asyncio_loop

SIZES = (100, 300, 1000)
MEMORY_SIZES = (500, 1000)
REPEATS = {100: 3}
"""how many reports meet in one write is chance, which tells in small ones: the middle one counts"""
LIMIT_EXPONENT = 1.25
"""2 is what a write of all reports for each report would give. All reports of 100 resources may
meet in one write; those of 1000 with 200 in flight take several, each of all there are so far."""
OPERATIONS = ("create", "unchanged", "delete")


def flat(size: int) -> dict[str, Any]:
    """Resources that know nothing of each other."""
    return _document({f"r{index}": _leaf() for index in range(size)})


def fan_in(size: int) -> dict[str, Any]:
    """One more resource that requires all the others."""
    resources = {f"r{index}": _leaf() for index in range(size)}
    centre = {
        "type": "OS::Heat::Value",
        "depends_on": list(resources),
        "properties": {"value": {"get_attr": ["r0", "value"]}},
    }
    return _document({**resources, "centre": centre})


def chain(size: int) -> dict[str, Any]:
    """Each requires the one before."""
    return _document(
        {
            f"r{index}": {**_leaf(), "depends_on": f"r{index - 1}"} if index else _leaf()
            for index in range(size)
        }
    )


SHAPES: Mapping[str, Callable[[int], dict[str, Any]]] = {
    "flat": flat,
    "fan-in": fan_in,
    "chain": chain,
}


def _leaf() -> dict[str, Any]:
    return {"type": "OS::Heat::RandomString"}


def _document(resources: dict[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": resources}


# --- one shape of one size, in this process ------------------------------------------------------


async def _operations(deployment: Deployment, shape: str, size: int) -> dict[str, Measured]:
    # The first stack of a process pays for imports.
    stack_id, _ = await deployment.create("warm-up", SHAPES[shape](2))
    await deployment.delete(stack_id)
    document = SHAPES[shape](size)
    stack_id, created = await deployment.create(f"{shape}-{size}", document)
    unchanged = await deployment.update(stack_id, document)
    return {
        "create": created,
        "unchanged": unchanged,
        "delete": await deployment.delete(stack_id),
    }


async def _on_sqlite(shape: str, size: int) -> dict[str, Measured]:
    with tempfile.TemporaryDirectory() as folder:
        async with Deployment.open(Path(folder) / "heat.sqlite") as deployment:
            return await _operations(deployment, shape, size)


async def _on_mariadb(shape: str, size: int, url: str) -> dict[str, Measured]:
    async with open_asyncio_loop() as loop, Deployment.at(url, loop) as deployment:
        return await _operations(deployment, shape, size)


def measure_here(shape: str, size: int, url: str | None) -> dict[str, Any]:
    """What each operation took, and the process's peak memory in MB before and after them."""
    before = _peak_mb()
    if url is None:
        found = trio.run(_on_sqlite, shape, size)
    else:
        found = trio.run(_on_mariadb, shape, size, url)
    operations = {name: asdict(measured) for name, measured in found.items()}
    return {"operations": operations, "peak_mb": [before, _peak_mb()]}


def _peak_mb() -> float:
    return process.getrusage(process.RUSAGE_SELF).ru_maxrss / 1024


# --- all of them ---------------------------------------------------------------------------------


def measure(shape: str, size: int, url: str | None) -> dict[str, Any]:
    """The same, in a process of its own."""
    command = [sys.executable, "-m", "bench.fan_in", shape, str(size), *([url] if url else [])]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # our own
    if run.returncode:
        raise RuntimeError(f"{shape} of {size} failed: {run.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def measure_middle(shape: str, size: int, url: str | None) -> dict[str, Any]:
    """Each operation as it was in the middle one of several runs, by bytes."""
    runs = [measure(shape, size, url)["operations"] for _ in range(REPEATS.get(size, 1))]
    return {
        operation: sorted((run[operation] for run in runs), key=lambda one: one["bytes"])[
            len(runs) // 2
        ]
        for operation in OPERATIONS
    }


def exponent(found: Mapping[int, float]) -> float:
    """The slope between the smallest and the largest size on paper with two logarithms."""
    small, large = min(found), max(found)
    return math.log(found[large] / found[small]) / math.log(large / small)


def report(title: str, url: str | None, sizes: tuple[int, ...]) -> int:
    """Print all shapes of these sizes; how many limits were passed."""
    passed = 0
    for shape in SHAPES:
        found = {size: measure_middle(shape, size, url) for size in sizes}
        for operation in OPERATIONS:
            for size in sizes:
                print_one(title, shape, size, operation, found[size][operation])
            for what in ("seconds", "statements", "bytes"):
                slope = exponent({size: found[size][operation][what] for size in sizes})
                over = what != "seconds" and slope > LIMIT_EXPONENT
                passed += over
                print(
                    f"{title} {shape:7} {operation:10} {what}: exponent {slope:.2f}"
                    f"{f', over the limit of {LIMIT_EXPONENT}' if over else ''}"
                )
    return passed


def print_one(title: str, shape: str, size: int, operation: str, one: Mapping[str, float]) -> None:
    print(
        f"{title} {shape:7} {size:5} {operation:10}"
        f" {one['seconds']:7.2f} s {one['processor_seconds']:7.2f} s of a processor"
        f" {one['statements']:7} statements"
        f" {one['commits']:6} commits {one['bytes'] / 1000:9.0f} kB",
        flush=True,
    )


def report_memory(title: str, url: str | None) -> None:
    """Print what large fan-ins take, with the peak memory of the process."""
    for size in MEMORY_SIZES:
        found = measure("fan-in", size, url)
        for operation in OPERATIONS:
            print_one(title, "fan-in", size, operation, found["operations"][operation])
        before, after = found["peak_mb"]
        print(f"{title} fan-in  {size:5} peak memory {after:.0f} MB, {before:.0f} MB before it")


@contextmanager
def mariadb() -> Iterator[str | None]:
    """The URL of a database of its own; None, and said so, when there is no server."""
    server = os.environ.get("HEAT_TRIO_TEST_MYSQL") or "mysql://root@127.0.0.1:3306/"
    name = f"heat_trio_bench_{uuid.uuid4().hex[:8]}"
    try:
        admin(server, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    except Exception as error:
        print(f"MariaDB: not run, no server at {server} ({type(error).__name__})")
        yield None
        return
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        admin(server, f"DROP DATABASE {name}")


def main() -> int:
    """0 when all limits are met."""
    passed = report("SQLite ", None, SIZES)
    report_memory("SQLite ", None)
    with mariadb() as url:
        if url is not None:
            passed += report("MariaDB", url, SIZES)
            report_memory("MariaDB", url)
    return 1 if passed else 0


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    place = sys.argv[3] if len(sys.argv) > 3 else None
    print(json.dumps(measure_here(sys.argv[1], int(sys.argv[2]), place)))
