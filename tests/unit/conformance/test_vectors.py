"""The harness of the vectors tells right from wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]

RIGHT = {
    "id": "one",
    "kind": "merge_strategy",
    "input": {"strategies": {}, "parameter": "p", "earlier": {"p": "merge"}},
    "expect": {"value": "merge"},
}
WRONG = {**RIGHT, "id": "two", "expect": {"value": "overwrite"}}
UNKNOWN = {**RIGHT, "id": "three", "kind": "no such kind"}


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.conformance.vectors", str(folder), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def _write(folder: Path, name: str, *vectors: Any) -> None:
    (folder / name).write_text("\n".join(json.dumps(one) for one in vectors), encoding="utf-8")


def test_a_failure_is_shown_and_decides_the_exit_code(tmp_path: Path) -> None:
    _write(tmp_path, "a.jsonl", RIGHT, WRONG, UNKNOWN)
    _write(tmp_path, "b.jsonl", RIGHT)
    done = _run(tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "a.jsonl: 1 passed, 1 failed, 1 not run",
        "  two",
        "    /value: expected 'overwrite', got 'merge'",
        "b.jsonl: 1 passed, 0 failed, 0 not run",
        "all: 2 passed, 1 failed, 1 not run",
        "  1 not run: waiting for the kind no such kind",
    ]


def test_without_failures_and_without_vectors(tmp_path: Path) -> None:
    assert _run(tmp_path).returncode == 2
    _write(tmp_path, "a.jsonl", RIGHT)
    assert _run(tmp_path).returncode == 0
