"""Look for mistakes for longer than the test run does.

    python -m tests.fuzz --minutes 10                    # fresh seeds until the time is up
    python -m tests.fuzz --templates 4711                # this seed of templates again
    python -m tests.fuzz --texts 4711                    # this seed of texts again

Prints the seed of each mistake with what was wrong; exit 1 when there was one. The texts begin from
the examples and vectors in HEAT_TRIO_SHARED too, where they are: a seed means the same text only
with the same ones.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path

from tests.fuzz.runs import TEXTS_A_SEED, run_templates, run_texts
from tests.fuzz.texts import corpus

TEMPLATES_A_SEED = 50


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=1.0, help="fresh seeds for that long")
    parser.add_argument("--templates", type=int, metavar="SEED", help="templates of one seed")
    parser.add_argument("--texts", type=int, metavar="SEED", help="texts of one seed")
    options = parser.parse_args(arguments)
    shared = Path(os.environ.get("HEAT_TRIO_SHARED") or "../shared")
    texts = corpus(shared if shared.is_dir() else None)
    if options.templates is not None:
        return 0 if _holds("templates", options.templates, texts) else 1
    if options.texts is not None:
        return 0 if _holds("texts", options.texts, texts) else 1
    seeds = {"templates": 0, "texts": 0}
    broken = 0
    until = time.monotonic() + 60 * options.minutes
    while time.monotonic() < until:
        for what in seeds:
            seeds[what] += 1
            broken += not _holds(what, random.randrange(10**9), texts)
    print(
        f"{seeds['templates'] * TEMPLATES_A_SEED} templates and {seeds['texts'] * TEXTS_A_SEED} "
        f"texts, {broken} seeds broke something"
    )
    return 1 if broken else 0


def _holds(what: str, seed: int, texts: list[str]) -> bool:
    try:
        if what == "templates":
            run_templates(seed, TEMPLATES_A_SEED)
        else:
            run_texts(seed, texts)
    except Exception as error:
        print(f"--{what} {seed}: {type(error).__name__}: {str(error)[:2000]}", flush=True)
        for note in getattr(error, "__notes__", ()):
            print(f"  {note[:4000]}", flush=True)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
