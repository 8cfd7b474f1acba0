"""Holds `heat-trio validate` to the recorded answers: `python -m tests.conformance.examples`.

Each template of HEAT_TRIO_SHARED/examples with its environment, where it has one, through the
command, offline; the JSON that it prints is what Heat answered. Exit codes as in
tests.conformance.vectors.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from heat_app.cli import main as heat_trio
from tests.conformance.vectors import shared

RECORDED = "file:///examples"
"""where the recorded answers say that the files are"""


def examples(folder: Path) -> Iterator[tuple[str, list[str], Any]]:
    """(name, arguments after `validate`, recorded answer) of each example."""
    for recorded in sorted(folder.glob("*.validate.json")):
        name = recorded.name.removesuffix(".validate.json")
        (template,) = (
            path for path in (folder / f"{name}.yaml", folder / f"{name}.json") if path.exists()
        )
        environment = folder / f"{name}.env.yaml"
        arguments = [str(template), "--format", "json"]
        if environment.exists():
            arguments += ["-e", str(environment)]
        yield name, arguments, json.loads(recorded.read_text(encoding="utf-8"))


def printed(arguments: list[str], folder: Path) -> tuple[int, Any]:
    """The command's exit code and the JSON that it prints, its URLs as they were recorded."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = heat_trio(["validate", *arguments])
    return code, json.loads(out.getvalue().replace(folder.resolve().as_uri(), RECORDED))


def main() -> int:
    """Run and print; the exit code."""
    folder = shared() / "examples"
    if not folder.is_dir():
        print(f"no examples at {folder}", file=sys.stderr)
        return 2
    passed, failed = 0, []
    for name, arguments, recorded in examples(folder):
        code, got = printed(arguments, folder)
        if code == 0 and got == recorded:
            passed += 1
        else:
            failed.append(f"{name}: exit code {code}, {json.dumps(got)[:300]}")
    print(f"examples: {passed} of {passed + len(failed)} equal")
    for text in failed:
        print(f"  {text}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
