"""The report: read and printed."""

from __future__ import annotations

import sys
from pathlib import Path

from heat_app.doctor.examination import Examination, Judge, examine, find_stacks
from heat_app.doctor.wording import report
from heat_core.stack import StackId
from heat_io.database import Database
from heat_io.database.ambient import utc_now


async def show_folder(path: Path, text: str, judge: Judge, *, everything: bool) -> int:
    """Print the report of a stack in the database at `path`; see `show`."""
    async with Database.open(f"sqlite:///{path}") as database:
        return await show(database, text, judge, everything=everything)


async def show(database: Database, text: str, judge: Judge, *, everything: bool) -> int:
    """Print the report; 0 when nothing is owed, 1 when something is or there is no such stack."""
    stack_id = await only_stack(database, text)
    if stack_id is None:
        return 1
    examination = await examine(database, stack_id, judge=judge, now=utc_now())
    print_report(examination, everything)
    return 0 if examination.is_well else 1


async def only_stack(database: Database, text: str) -> StackId | None:
    """The stack that is meant; None, and a word about it, for none or several."""
    found = await database.read(lambda connection: find_stacks(connection, text))
    if len(found) == 1:
        return found[0].id
    if not found:
        print(f"heat-trio: there is no stack {text}.", file=sys.stderr)
    else:
        print(f"heat-trio: {len(found)} stacks are called {text}, give an id:", file=sys.stderr)
        for stack in found:
            print(f"  {stack.id}  project {stack.tenant}", file=sys.stderr)
    return None


def print_report(examination: Examination, everything: bool) -> None:
    for line in report(examination, everything=everything):
        print(line)
    sys.stdout.flush()
