"""`make bench`: run every benchmark of this folder, or those named: python -m bench [NAME...].

A benchmark is a module here with `main() -> int`: it prints what it measured and returns 0
when its limits are met.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main(names: list[str]) -> int:
    found = sorted(
        path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_")
    )
    unknown = [name for name in names if name not in found]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(found)}")
        return 2
    worst = 0
    for name in names or found:
        print(f"== {name}", flush=True)
        worst = max(worst, importlib.import_module(f"bench.{name}").main())
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
