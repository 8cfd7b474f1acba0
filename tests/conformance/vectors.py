"""Holds the template language to recorded behaviour: `python -m tests.conformance.vectors`.

The argument is a folder of *.jsonl files, by default those of HEAT_TRIO_SHARED. One line a file
with its counts, then what failed with the expected and the actual outcome. Exit code 0 when nothing
failed, 1 for a failure, 2 when the folder isn't there.

What isn't built yet counts as not run, never as passed, and is listed with what it waits for: a
kind that nothing here can run, and a vector that comes out otherwise than recorded and uses a
resource type of Heat's that isn't in the registry.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from heat_core.environment import global_registry
from heat_core.environment.global_registry import DEFAULT_MAPPINGS
from heat_core.errors import EntityNotFound
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


@dataclass
class Results:
    """What became of the vectors of a file."""

    passed: int = 0
    failed: list[tuple[str, list[str]]] = field(default_factory=list)
    """ids with their differences"""
    waiting: Counter[str] = field(default_factory=Counter)
    """how many were not run, by what they wait for"""

    def line(self, name: str) -> str:
        return (
            f"{name}: {self.passed} passed, {len(self.failed)} failed, "
            f"{self.waiting.total()} not run"
        )


def run_file(path: Path, known: Mapping[str, Runner], only: str | None) -> Results:
    """Run the vectors of a file whose id has `only` in it."""
    results = Results()
    for vector in read(path):
        if only is not None and only not in vector["id"]:
            continue
        runner = known.get(vector["kind"])
        if runner is None:
            results.waiting[f"the kind {vector['kind']}"] += 1
            continue
        try:
            found = differences(vector, encode(runner(decode(vector["input"]))))
        except Exception as error:  # the harness or the language broke: this vector failed
            found = [f"{type(error).__name__}: {error}"]
        if not found:
            results.passed += 1
        elif (missing := waits_for(vector)) is not None:
            results.waiting[missing] += 1
        else:
            results.failed.append((vector["id"], found))
    return results


_TYPE_NAME = re.compile(r"\b(?:OS|AWS)::\w+(?:::\w+)?\b")


def waits_for(vector: Mapping[str, Any]) -> str | None:
    """What isn't built yet and the vector uses: a type that Heat has."""
    given = json.dumps(vector["input"])
    known = global_registry()
    for name in sorted(set(_TYPE_NAME.findall(given)) & heats_types()):
        try:
            known.find(name)
        except EntityNotFound:
            return name
    return None


@cache
def heats_types() -> frozenset[str]:
    """The names of all types and mappings that Heat has."""
    folder = shared() / "facts/resource-types"
    names = {
        name
        for path in folder.glob("*.json")
        if path.name != "index.json"
        for name in json.loads(path.read_text(encoding="utf-8"))
    }
    return frozenset({*names, *DEFAULT_MAPPINGS})


def shared() -> Path:
    """The folder of the recordings: HEAT_TRIO_SHARED, by default ../shared."""
    return Path(os.environ.get("HEAT_TRIO_SHARED") or "../shared")


def folder_of(argument: str | None) -> Path:
    """The folder to read: the argument, else that of the recordings."""
    return shared() / "vectors" if argument is None else Path(argument)


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
    total = Results()
    for path in files:
        results = run_file(path, known, options.only)
        total.passed += results.passed
        total.failed += results.failed
        total.waiting += results.waiting
        print(results.line(path.name), flush=True)
        for name, found in results.failed[: options.show]:
            print(f"  {name}")
            for difference in found:
                print(f"    {difference}")
        if len(results.failed) > options.show:
            print(f"  ... and {len(results.failed) - options.show} more")
    print(total.line("all"))
    for missing, count in total.waiting.most_common():
        print(f"  {count} not run: waiting for {missing}")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
