"""Heat is replaced and put back while users go on: the steps of docs/deploy.md, one by one.

Behind a load balancer (here: the user's choice of a port) stand first Heat's API and two engines of
Heat, then both, then ours alone, then both, then Heat alone. All the time stacks are created,
updated and deleted; each request must be answered as if nothing happened, and each stack must end
as it should.

An engine of Heat that is stopped loses calls that it has taken and not begun (their callers time
out). Requests that were under way then are asked for again, and counted by themselves.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from tests.conformance.fleet_bed import Api, Bed, Keystone, Rows, end

ASKED_SECONDS = 1.0
"""how long before the stop of an engine a call may have been taken by it"""
RESPONSE_SECONDS = 10
"""rpc_response_timeout"""
STEP_SECONDS = 8.0
"""how long users go on between two steps of the operator"""
PAUSE_SECONDS = 0.2

type Template = Callable[[str], dict[str, Any]]
type Side = Literal["Heat", "heat-trio"]


@dataclass
class Users:
    """Make stacks, update each once, delete it, and go on; in a thread of their own."""

    apis: Mapping[Side, Api]
    templates: tuple[Template, ...]
    side: Side = "Heat"
    """whose API the load balancer chooses"""
    answered: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    excused: list[str] = field(default_factory=list)
    _stops: list[tuple[float, float]] = field(default_factory=list)
    """when engines of Heat were being stopped"""
    _made: int = 0
    _open: dict[str, str] = field(default_factory=dict)
    """by stack: what was asked for last"""
    _leaving: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        thread = threading.Thread(target=self._live)
        thread.start()
        try:
            yield
        finally:
            self._leaving.set()
            thread.join()

    @contextmanager
    def while_heat_stops(self) -> Iterator[None]:
        began = time.monotonic()
        self._stops.append((began, float("inf")))
        try:
            yield
        finally:
            self._stops[-1] = (began, time.monotonic())

    def _live(self) -> None:
        while not self._leaving.wait(PAUSE_SECONDS):
            self._do(self._next)

    def _do(self, act: Callable[[Api], str]) -> None:
        side, began = self.side, time.monotonic()
        try:
            what = act(self.apis[side])
        except Exception as error:
            excused = any(
                first <= began + ASKED_SECONDS and began <= last for first, last in self._stops
            )
            told = self.excused if excused and "MessagingTimeout" in repr(error) else self.failed
            told.append(f"{side}'s API: {error!r}"[:300])
        else:
            self.answered[f"{what} by {side}'s API"] += 1

    def _next(self, api: Api) -> str:
        statuses = api.statuses()
        for name, asked in self._open.items():
            status = statuses.get(name)
            if status == "CREATE_COMPLETE" and asked == "create":
                return self._ask(api, name, "update")
            if status == "UPDATE_COMPLETE":
                return self._ask(api, name, "delete")
            if status is not None and status.endswith("FAILED"):
                self.failed.append(f"{name} is {status}")
                return self._ask(api, name, "delete")
        self._made += 1
        return self._ask(api, f"rolling-{self._made}", "create")

    def _ask(self, api: Api, name: str, what: str) -> str:
        number = int(name.rpartition("-")[2])
        template = self.templates[number % len(self.templates)]
        if what == "create":
            api.create(name, {"template": template("one")})
        elif what == "update":
            api.update(name, {"template": template("two")})
        else:
            api.delete(name)
        if what == "delete":
            del self._open[name]
        else:
            self._open[name] = what
        return what

    def go(self, rows: Rows) -> None:
        """Delete what is left, and see that nothing is."""
        if busy := rows.rest():
            self.failed.append(f"not at rest: {'; '.join(busy[:5])}")
        statuses = self.apis[self.side].statuses()
        for name, asked in self._open.items():
            wanted = {"create": "CREATE_COMPLETE", "update": "UPDATE_COMPLETE"}[asked]
            if not self.excused and statuses.get(name) != wanted:
                self.failed.append(f"{name}: {statuses.get(name)}, wanted {wanted}")
        for name, status in statuses.items():
            if not status.endswith("COMPLETE"):
                self.failed.append(f"{name} is {status}")
            self._open.setdefault(name, "create")
            self._do(partial(self._ask, name=name, what="delete"))
        if left := self.apis[self.side].settled():
            self.failed.append(f"not deleted: {left}")
        if busy := rows.rest():
            self.failed.append(f"not at rest at the end: {'; '.join(busy[:5])}")


def roll(
    bed: Bed, templates: tuple[Template, ...], told: Callable[[str], None]
) -> tuple[int, list[str]]:
    """Replace all of Heat and put it back; how many requests were answered, and what was wrong."""
    keystone = Keystone(bed)
    apis: dict[Side, Api] = {"Heat": Api(keystone), "heat-trio": Api(keystone, bed.other_port)}
    users = Users(apis, templates)

    def step(what: str) -> None:
        told(f"  {what}")
        time.sleep(STEP_SECONDS)

    with users.at_work():
        step("Heat: an API, engines 1 and 2")
        first = bed.start_engine()
        step("an engine of ours beside them")
        with users.while_heat_stops():
            bed.end_heats("stop", 1)
        second = bed.start_engine()
        step("Heat's engine 1 stopped, a second one of ours instead")
        with users.while_heat_stops():
            bed.end_heats("stop", 2)
        step("Heat's engine 2 stopped")
        api = bed.start_api(bed.other_port)
        users.side = "heat-trio"
        step("our API instead of Heat's: nothing of Heat serves")
        users.side = "Heat"
        step("back: Heat's API")
        ends = {"our API": end(api, signal.SIGTERM)}
        bed.start_heats(1, 2)
        step("Heat's engines 1 and 2 beside ours")
        ends["our engine 1"] = end(first, signal.SIGTERM)
        step("one of ours stopped")
        ends["our engine 2"] = end(second, signal.SIGTERM)
        step("Heat alone")
    users.go(Rows(bed))
    users.failed += [f"{who} ended with {code}" for who, code in ends.items() if code]
    if users.excused:
        told(f"  lost by engines of Heat that were stopped: {len(users.excused)}")
    for what, times in sorted(users.answered.items()):
        told(f"  {what}: {times}")
    return sum(users.answered.values()), users.failed
