"""Parse, validate and resolve templates of 100 and 1000 resources, beside Heat's own code.

Both run in processes of their own on the same texts, one after the other, several times in turn;
what counts is the processor's time of the fastest run, and the peak memory of the process. Heat's
side needs its Python: HEAT_TRIO_SHARED/reference/python (default ../shared); without it our side
alone is measured and the benchmark counts as not run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # also when it runs by its own path

from bench._template_sizes import SIZES  # noqa: E402  # after the line above

TURNS = 2
TIMES_FASTER = 10.0
_STEPS = ("parse", "validate", "resolve")


class Measured(NamedTuple):
    """Seconds of each step, and the peak memory in MiB."""

    seconds: tuple[float, ...]
    peak_mib: float

    @property
    def total(self) -> float:
        return sum(self.seconds)


def heats_python() -> Path | None:
    """The script that runs Heat's Python, None where there is none."""
    shared = Path(os.environ.get("HEAT_TRIO_SHARED") or HERE.parent.parent / "shared")
    script = shared / "reference" / "python"
    return script if script.exists() else None


def measure(command: list[str], folder: Path) -> Measured:
    """Run one side once."""
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{run.stderr[-2000:]}")
    found = json.loads(run.stdout.splitlines()[-1])
    return Measured(tuple(found["seconds"]), found["peak_kib"] / 1024)


def best(runs: list[Measured]) -> Measured:
    """The fastest of each step, and the largest memory."""
    seconds = tuple(min(times) for times in zip(*(run.seconds for run in runs), strict=True))
    return Measured(seconds, max(run.peak_mib for run in runs))


def compare(size: int, heat: Path | None) -> tuple[Measured, Measured | None]:
    """(ours, Heat's) for a template of `size` resources."""
    ours: list[Measured] = []
    theirs: list[Measured] = []
    for _ in range(TURNS):
        command = [sys.executable, "-m", "bench._template_ours", str(size)]
        ours.append(measure(command, HERE.parent))
        if heat is not None:
            theirs.append(measure([str(heat), "_template_heat.py", str(size)], HERE))
    return best(ours), best(theirs) if theirs else None


def main() -> int:
    heat = heats_python()
    if heat is None:
        print("not run beside Heat: no reference/python in HEAT_TRIO_SHARED", file=sys.stderr)
    print(f"{'N':>5} {'':>6} " + " ".join(f"{step:>9}" for step in (*_STEPS, "total", "peak MiB")))
    good = heat is not None
    for size in SIZES:
        ours, theirs = compare(size, heat)
        _print(size, "ours", ours)
        if theirs is None:
            continue
        _print(size, "Heat", theirs)
        ratios = [their / our for our, their in zip(ours.seconds, theirs.seconds, strict=True)]
        faster = theirs.total / ours.total
        less = theirs.peak_mib / ours.peak_mib
        shown = [f"{ratio:>8.1f}x" for ratio in (*ratios, faster, less)]
        print(f"{size:>5} {'':>6} " + " ".join(shown))
        good = good and faster >= TIMES_FASTER and less > 1
    if heat is not None:
        print(f"the limits are {TIMES_FASTER:.0f} times as fast in all, and less memory")
    return 0 if good else 1


def _print(size: int, side: str, measured: Measured) -> None:
    times = " ".join(
        f"{seconds * 1000:>6.1f} ms" for seconds in (*measured.seconds, measured.total)
    )
    print(f"{size:>5} {side:>6} {times} {measured.peak_mib:>9.1f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
