"""The doctor on a cloud whose only engine was killed.

    python -m tests.crash.doctor [--data DIR]

A tree of stacks (see tests.crash.tree) is created by one `heat-engine` on MariaDB and RabbitMQ,
which is killed when half of it is there. `heat-trio doctor` with the cloud's heat.conf has to say
what is owed and that the engine is dead; with --repair it has to bring the stack to its end, each
resource there once, and to leave nothing behind; then it has to find nothing the matter. Exit code
0 when it does.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.crash.bed import Bed, Engine, NotRun, bed
from tests.crash.cloud import Cloud
from tests.crash.faults import until_its_hour
from tests.crash.subject import STACK, Subject
from tests.crash.tree import Tree

NAME = "trio_doctor"
FIRST_PORT = 14500
TREE = Tree(size=6, members=3, edition=0)
COMMAND_SECONDS = 300
HEAT_TRIO = Path(sys.executable).with_name("heat-trio")


def doctor(engine: Engine, *arguments: str) -> tuple[int, str]:
    """Its exit code, and all that it says."""
    own = engine.folder / f"{engine.name}.conf"
    command = [HEAT_TRIO, "doctor", STACK, "--config-file", engine.conf, "--config-file", own]
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, timeout=COMMAND_SECONDS
    )
    return done.returncode, done.stdout + done.stderr


def examined(made: Bed) -> list[str]:
    """Go through it all; what was wrong."""
    subject = Subject(Cloud(made.access), made.ask, TREE)
    engine = made.engine(1)
    engine.start()
    try:
        subject.request("create")
        there = until_its_hour(made.ask, TREE.rows // 2)
    finally:
        engine.kill()
    print(f"killed when {there} of {TREE.rows} rows were done", flush=True)
    wrong = []

    def expect(what: str, code: int, wanted: int, said: str, *texts: str) -> None:
        missing = [text for text in texts if text not in said]
        if code != wanted or missing:
            wrong.append(f"{what}: exit code {code}, without {missing}: {said}")
        print(f"{what}: exit code {code}, {len(said.splitlines())} lines", flush=True)

    code, said = doctor(engine)
    expect("report", code, 1, said, "CREATE_IN_PROGRESS", "held by dead engines", "  owed:\n")
    code, said = doctor(engine, "--repair")
    expect("repair", code, 0, said, "seen to: ", f"{STACK}: CREATE_COMPLETE")
    # Heat's API shows what an engine tells it.
    teller = made.engine(2)
    teller.start()
    try:
        if fault := subject.faults("create"):
            wrong.append(f"after the repair: {fault}")
    finally:
        teller.stop()
    code, said = doctor(engine)
    expect("report", code, 0, said, "CREATE_COMPLETE", "owed: nothing")
    return wrong


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash.doctor")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a new folder, which stays")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="heat-trio-doctor-") as temporary:
        folder = options.data or Path(temporary) / "data"
        folder.mkdir(parents=True)
        try:
            with bed(NAME, FIRST_PORT, folder) as made:
                wrong = examined(made)
        except NotRun as missing:
            print(f"not run: {missing}")
            return 1
    for text in wrong:
        print(text)
    print("the doctor did as it should" if not wrong else f"{len(wrong)} things were wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
