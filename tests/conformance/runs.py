"""Replays Heat's recorded runs on our engine: `python -m tests.conformance.runs`.

Every scenario of facts/convergence-state.json is asked of a whole engine in this process, on
SQLite and, where a server is there, on MariaDB (HEAT_TRIO_TEST_MYSQL), one after the other on one
database as they were recorded. What an operation does that heat-trio does not have yet is put into
the database, so that the next scenario begins where Heat's did.

A line a scenario, then what differs. Exit codes as in tests.conformance.vectors.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import trio
from trio.testing import MockClock

from tests.conformance.runs_compare import Run, differences
from tests.conformance.runs_labels import Labels, View, cast_of, events_of, view
from tests.conformance.runs_script import SCRIPT, Scenario, after_cancel
from tests.conformance.runs_stage import (
    NoServer,
    Stage,
    TemporaryDatabase,
    on_mariadb,
    on_sqlite,
)
from tests.conformance.vectors import shared
from tests.recorded_states import Recorded, scenarios

DIFFERENT: Mapping[tuple[str, str], str] = {}
"""(scenario, beginning of a difference): why it is meant to be so"""


@dataclass
class Outcome:
    """What came of one scenario on one database."""

    scenario: Scenario
    missing: str = ""
    different: list[str] = field(default_factory=list)
    meant: list[str] = field(default_factory=list)

    @property
    def line(self) -> str:
        if self.missing:
            return f"not run: {self.missing} is not built"
        if self.different:
            return f"{len(self.different)} differences"
        return f"equal but for {len(self.meant)} meant to be so" if self.meant else "equal"


class Replay:
    """The scenarios on one stage, one after the other."""

    def __init__(self, stage: Stage, recorded: Mapping[str, Recorded]) -> None:
        self._stage = stage
        self._recorded = recorded
        self._theirs: dict[str, Labels] = {}
        self._mine: dict[str, Labels] = {}
        self._views: dict[str, list[View]] = {}
        self._events = 0
        # SQLite gives ids of removed rows to new ones, so ours are forgotten there.
        self._dead_ids = stage.dialect != "sqlite"

    async def run(self) -> list[Outcome]:
        return [await self._one(scenario) for scenario in SCRIPT]

    async def _one(self, scenario: Scenario) -> Outcome:
        stage = self._stage
        outcome = Outcome(scenario, scenario.missing)
        stage.recording.marked = max(0, len(stage.recording.states) - 1)
        casts = len(stage.recording.casts)
        if scenario.error is not None:
            await self._refused(scenario, outcome)
            return outcome
        recorded = self._recorded[scenario.name]
        act = scenario.instead if scenario.missing else scenario.act
        if act is not None:
            await act(stage)
        theirs = self._their_run(scenario, recorded)
        events = await stage.events()
        if not scenario.missing:
            ours = self._our_run(scenario, events[self._events :], casts)
            for text in differences(theirs, ours):
                why = next(
                    (
                        reason
                        for (name, beginning), reason in DIFFERENT.items()
                        if scenario.name.startswith(name) and text.startswith(beginning)
                    ),
                    None,
                )
                (outcome.different if why is None else outcome.meant).append(
                    text if why is None else f"{text} ({why})"
                )
        self._events = len(events)
        if scenario.name.startswith("cancel"):
            await after_cancel(stage)
            self._events = len(await stage.events())
        if scenario.leaves:
            await self._leave(scenario, recorded)
        return outcome

    async def _refused(self, scenario: Scenario, outcome: Outcome) -> None:
        if scenario.act is None:
            raise AssertionError("a scenario that is refused needs a request")
        wanted = scenario.error
        try:
            await scenario.act(self._stage)
        except Exception as error:
            got = (type(error).__name__, str(error))
            if got != wanted:
                outcome.different.append(f"refused with {got}, not {wanted}")
        else:
            outcome.different.append("not refused")

    # --- both sides ----------------------------------------------------------------------------

    def _their_run(self, scenario: Scenario, recorded: Recorded) -> Run:
        (stack_id,) = recorded.states[0]["stack"]
        labels = self._theirs.setdefault(scenario.stack, Labels(stack_id))
        views = []
        for state in (*recorded.states, recorded.final):
            labels.see(state)
            views.append(view(state, labels, dead_ids=self._dead_ids))
        return Run(
            views[:-1],
            views[-1],
            events_of(recorded.events),
            [cast_of(one, labels) for one in recorded.casts],
            scenario.stack,
        )

    def _our_run(self, scenario: Scenario, events: list[dict[str, Any]], first_cast: int) -> Run:
        recording = self._stage.recording
        labels = self._my_labels(scenario.stack)
        views = self._views[scenario.stack][recording.marked :]
        return Run(
            views,
            views[-1],
            events_of(event for event in events if event["stack_id"] == labels.stack_id),
            [cast_of(one, labels) for one in recording.casts[first_cast:]],
            scenario.stack,
        )

    def _my_labels(self, stack: str) -> Labels:
        """Our labels, after they have seen all states there are."""
        stack_id = self._stage.identities[stack]["stack_id"]
        labels = self._mine.setdefault(stack, Labels(stack_id))
        views = self._views.setdefault(stack, [])
        for state in self._stage.recording.states[len(views) :]:
            # At once: templates and rows lose their names when they go.
            labels.see(state)
            views.append(view(state, labels, dead_ids=self._dead_ids))
        return labels

    # --- what is not built -----------------------------------------------------------------------

    async def _leave(self, scenario: Scenario, recorded: Recorded) -> None:
        """Bring the stack's rows to the recorded end of an operation that was not done."""
        labels = self._my_labels(scenario.stack)
        theirs = self._theirs[scenario.stack]
        (stack,) = recorded.final["stack"].values()
        await self._stage.execute(
            "UPDATE stack SET action = :action, status = :status, status_reason = :status_reason"
            " WHERE id = :id",
            **{key: stack[key] for key in ("action", "status", "status_reason")},
            id=labels.stack_id,
        )
        mine = {labels.rows[key]: key for key in labels.mine(self._stage.recording.last)}
        columns = ("action", "status", "status_reason", "atomic_key")
        for key, row in theirs.mine(recorded.final).items():
            await self._stage.execute(
                "UPDATE resource SET action = :action, status = :status,"
                " status_reason = :status_reason, atomic_key = :atomic_key,"
                " nova_instance = :physical_id WHERE id = :id",
                **{column: row[column] for column in columns},
                physical_id=row["nova_instance"].replace("<shortid>", "abcdefghijkl"),
                id=int(mine[theirs.rows[key]]),
            )


def replayed_on_sqlite(recorded: Mapping[str, Recorded]) -> list[Outcome]:
    async def work() -> list[Outcome]:
        async with on_sqlite() as stage:
            return await Replay(stage, recorded).run()

    found: list[Outcome] = trio.run(work, clock=MockClock(autojump_threshold=0))
    return found


def replayed_on_mariadb(recorded: Mapping[str, Recorded], url: str) -> list[Outcome]:
    async def work() -> list[Outcome]:
        async with on_mariadb(url) as stage:
            return await Replay(stage, recorded).run()

    found: list[Outcome] = trio.run(work)
    return found


def report(title: str, outcomes: list[Outcome]) -> int:
    """Print a line a scenario and the totals; how many scenarios differ."""
    for outcome in outcomes:
        print(f"{title}: {outcome.scenario.name}: {outcome.line}")
        for text in (*outcome.different, *outcome.meant):
            print(f"    {text}")
    different = sum(bool(outcome.different) for outcome in outcomes)
    missing = Counter(outcome.missing for outcome in outcomes if outcome.missing)
    equal = len(outcomes) - different - missing.total()
    not_run = ", ".join(missing)
    print(
        f"{title}: {equal} equal, {different} different,"
        f" {missing.total()} not run{f' ({not_run})' if missing else ''}"
    )
    return different


def main() -> int:
    """Run and print; the exit code."""
    folder = shared()
    if not (folder / "facts" / "convergence-state.json").is_file():
        print(f"no recorded states at {folder}", file=sys.stderr)
        return 2
    recorded = {one.name: one for one in scenarios(folder)}
    different = report("runs on SQLite", replayed_on_sqlite(recorded))
    server = os.environ.get("HEAT_TRIO_TEST_MYSQL") or "mysql://root@127.0.0.1:3306/"
    try:
        with TemporaryDatabase(server) as url:
            different += report("runs on MariaDB", replayed_on_mariadb(recorded, url))
    except NoServer as error:
        print(f"runs on MariaDB: not run, {error}")
        if os.environ.get("CI", "").lower() == "true":
            return 1
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
