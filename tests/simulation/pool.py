"""Runs seeds in several processes, each with the same hash seed, so that a seed is the same run."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

from tests.simulation.scenario import run
from tests.simulation.totals import Totals

BATCH = 25
"""runs between two reports, and between two collections of garbage"""


@dataclass(frozen=True)
class Task:
    """What one process is to do: seeds from `first` on by `step`, until `last` or a deadline."""

    first: int
    step: int
    last: int | None = None
    seconds: float | None = None
    plot: str | None = None

    def seeds(self) -> Iterator[int]:
        until = None if self.seconds is None else time.monotonic() + self.seconds
        for seed in count(self.first, self.step):
            if self.last is not None and seed > self.last:
                return
            if until is not None and time.monotonic() > until:
                return
            yield seed


def account(seeds: Iterable[int], plot: str | None = None) -> Totals:
    """Run them; what they went through, and which broke something. See scenario.run for `plot`."""
    totals = Totals()
    for seed in seeds:
        try:
            totals.add(run(seed, plot))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            totals.broken.append((seed, told(error)))
    return totals


def told(error: BaseException) -> str:
    """The innermost error of a group, in one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:200]


def quiet_process() -> None:
    """What a simulated crash leaves in the logs says nothing; garbage is collected between runs."""
    logging.disable(logging.CRITICAL)
    gc.collect()
    gc.freeze()
    gc.disable()


def _work(task: Task, results: Any) -> None:
    quiet_process()
    seeds = task.seeds()
    while batch := list(islice(seeds, 1)):
        totals = account(batch, task.plot)
        totals.merge(account(islice(seeds, BATCH - 1), task.plot))
        results.put(totals)
        gc.collect()
    results.put(None)


def explore(tasks: list[Task]) -> Iterator[Totals]:
    """Do the tasks side by side; what they went through, as it comes in."""
    if len(tasks) == 1:
        quiet_process()
        seeds = tasks[0].seeds()
        while batch := list(islice(seeds, 1)):
            totals = account(batch, tasks[0].plot)
            totals.merge(account(islice(seeds, BATCH - 1), tasks[0].plot))
            yield totals
            gc.collect()
        return
    os.environ["PYTHONHASHSEED"] = "0"
    context = multiprocessing.get_context("spawn")
    results: Any = context.Queue()
    workers = [context.Process(target=_work, args=(task, results), daemon=True) for task in tasks]
    for worker in workers:
        worker.start()
    left = len(workers)
    while left:
        found = results.get()
        if found is None:
            left -= 1
        else:
            yield found
    for worker in workers:
        worker.join()
