"""What many runs went through, and how it is shown."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.simulation import coverage
from tests.simulation.scenario import Result


@dataclass
class Totals:
    """Sums over runs; they come from several processes and are added up."""

    runs: int = 0
    units: int = 0
    transactions: int = 0
    virtual_seconds: float = 0.0
    superseded: int = 0
    unlucky: int = 0
    """runs with two misfortunes or more"""
    resumed: int = 0
    previews: int = 0
    ends: int = 0
    nodes: list[int] = field(default_factory=list)
    depths: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    plots: Counter[str] = field(default_factory=Counter)
    cut: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    broken: list[tuple[int, str]] = field(default_factory=list)

    def add(self, result: Result) -> None:
        counts = result.counts
        self.runs += 1
        self.units += counts.units
        self.transactions += counts.transactions
        self.virtual_seconds += result.virtual_seconds
        self.superseded += counts.supersedes > 0
        self.unlucky += counts.misfortunes >= 2
        self.resumed += counts.resumed
        self.previews += counts.previews
        self.ends += counts.ends
        self.nodes.append(counts.nodes)
        self.depths[counts.depth] += 1
        self.faults += counts.faults
        self.states += counts.states
        self.plots += counts.plots
        self.cut += counts.cut
        self.hits += result.hits

    def merge(self, other: Totals) -> None:
        """Add what another process has seen."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    # --- what is shown ---------------------------------------------------------------------

    @property
    def missed(self) -> list[str]:
        """Transitions, effects, decisions, outcomes and debts that no run has met."""
        return [name for name in coverage.expected() if not self.hits[name]]

    def shortcomings(self) -> list[str]:
        """Where a long run was not what it has to be."""
        if not self.runs:
            return ["there were no runs"]
        found = [f"not hit: {name}" for name in self.missed]
        if statistics.median(self.nodes) < 6:
            found.append("the median template has less than 6 resources")
        if self.superseded < 0.3 * self.runs:
            found.append("less than 30 % of the runs have a superseded operation")
        if self.unlucky < 0.3 * self.runs:
            found.append("less than 30 % of the runs have two misfortunes")
        return found

    def lines(self, seconds: float, processes: int) -> Iterable[str]:
        """The whole account, line by line."""
        if not self.runs:
            return
        yield from self._table("transitions and effects (hit, cut off by a kill)", self._hits())
        yield from self._table("misfortunes", _sorted(self.faults))
        yield from self._table("plots", _sorted(self.plots))
        yield from self._table("ends", _sorted(self.states))
        levels = ", ".join(f"{depth}: {self.depths[depth]}" for depth in sorted(self.depths))
        yield f"runs by levels of nested stacks: {levels}"
        yield f"median resources of a first template: {statistics.median(self.nodes):.0f}"
        yield f"runs with a superseded operation: {100 * self.superseded / self.runs:.0f} %"
        yield f"runs with two misfortunes or more: {100 * self.unlucky / self.runs:.0f} %"
        yield f"units of work: {self.units}, transactions checked: {self.transactions}"
        yield f"found owed by sweepers and given: {self.resumed}"
        yield f"updates compared with their preview: {self.previews}"
        yield f"stacks compared with their template at the end: {self.ends}"
        yield f"virtual time: {self.virtual_seconds / 3600:.0f} h"
        rate = self.runs / seconds if seconds else 0.0
        yield (
            f"{self.runs} runs in {seconds:.0f} s on {processes} processes: {rate:.1f} a second, "
            f"{self.units / self.runs:.0f} units of work each"
        )

    def _hits(self) -> Iterable[tuple[str, str]]:
        for name in coverage.expected():
            cut = f" {self.cut[name]:>6} cut" if self.cut[name] else ""
            yield f"{self.hits[name]:>9}", f"{name}{cut}"

    @staticmethod
    def _table(title: str, rows: Iterable[tuple[str, str]]) -> Iterable[str]:
        yield f"--- {title}"
        for count, name in rows:
            yield f"{count} {name}"


def _sorted(counter: Counter[str]) -> Iterable[tuple[str, str]]:
    return [(f"{count:>9}", name) for name, count in counter.most_common()]
