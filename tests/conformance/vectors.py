"""Holds the template language to recorded behaviour: `python -m tests.conformance.vectors`.

The argument is a folder of *.jsonl files, by default those of HEAT_TRIO_SHARED. One line a file
with its counts, then what failed with the expected and the actual outcome. Exit code 0 when nothing
failed, 1 for a failure, 2 when the folder isn't there. A vector of a kind that nothing here can run
counts as not run, never as passed; under CI=true that is a failure too.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.conformance.vectors_codec import decode, differences, encode

Runner = Callable[[Mapping[str, Any]], Any]

_MODULES = (
    "functions",
    "conditions",
    "parameters",
    "environment",
    "parsing",
    "dependencies",
    "validate",
    "properties",
    "updates",
    "groups",
)


def runners() -> dict[str, Runner]:
    """Every kind that can be run here, with what runs it."""
    found: dict[str, Runner] = {}
    for name in _MODULES:
        module = f"tests.conformance.vectors_{name}"
        if (Path(__file__).parent / f"vectors_{name}.py").exists():
            found.update(import_module(module).RUNNERS)
    return found


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The vectors of one file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def run_file(
    path: Path, known: Mapping[str, Runner], only: str | None
) -> tuple[Counter[str], list[tuple[str, list[str]]]]:
    """Counts by "passed", "failed", "not run", and what failed with its differences."""
    counts: Counter[str] = Counter()
    failures: list[tuple[str, list[str]]] = []
    for vector in read(path):
        if only is not None and only not in vector["id"]:
            continue
        runner = known.get(vector["kind"])
        if runner is None:
            counts["not run"] += 1
            continue
        try:
            found = differences(vector, encode(runner(decode(vector["input"]))))
        except Exception as error:  # the harness or the language broke: this vector failed
            found = [f"{type(error).__name__}: {error}"]
        if found:
            counts["failed"] += 1
            failures.append((vector["id"], found))
        else:
            counts["passed"] += 1
    return counts, failures


def folder_of(argument: str | None) -> Path:
    """The folder to read: the argument, else that of HEAT_TRIO_SHARED (default ../shared)."""
    if argument is not None:
        return Path(argument)
    return Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")) / "vectors"


def main(arguments: list[str]) -> int:
    """Run and print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.vectors")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", help="run vectors whose id has this text in it")
    parser.add_argument("--show", type=int, default=20, help="failures to print a file")
    options = parser.parse_args(arguments)
    folder = folder_of(options.folder)
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    if not files:
        print(f"no vectors at {folder}", file=sys.stderr)
        return 2
    known = runners()
    total: Counter[str] = Counter()
    for path in files:
        counts, failures = run_file(path, known, options.only)
        total += counts
        print(_line(path.name, counts), flush=True)
        for name, found in failures[: options.show]:
            print(f"  {name}")
            for difference in found:
                print(f"    {difference}")
        if len(failures) > options.show:
            print(f"  ... and {len(failures) - options.show} more")
    print(_line("all", total))
    if total["failed"]:
        return 1
    return 1 if total["not run"] and os.environ.get("CI", "").lower() == "true" else 0


def _line(name: str, counts: Counter[str]) -> str:
    return (
        f"{name}: {counts['passed']} passed, {counts['failed']} failed, {counts['not run']} not run"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
