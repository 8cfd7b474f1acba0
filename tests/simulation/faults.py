"""What may go wrong in a run, how likely, and what did."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, fields

from heat_core.procedure import HttpCall, ServiceError

KILLS_LIMIT = 5
"""a stack must have time to come to its own"""


@dataclass(frozen=True)
class Faults:
    """How likely each misfortune is, at each occasion."""

    kill: float = 0.0
    """an engine is killed: at a unit of work, at its commit (applied or not), at a cast, at a
    request or at its answer"""
    conflict: float = 0.0
    """deadlock: at the start of a transaction or at its end"""
    lost_connection: float = 0.0
    """before a unit, or at COMMIT, applied or not"""
    lost_message: float = 0.0
    """casts, calls and answers of calls"""
    duplicate: float = 0.0
    late: float = 0.0
    refused: float = 0.0
    """a service refuses for good, or for now, before it has done anything"""
    lost_answer: float = 0.0
    """a service has done it, and its answer gets lost"""
    unreadable: float = 0.0
    """a service does not answer a question that an evaluation asks"""
    clock_jump: float = 0.0
    credentials: float = 0.0
    """what a deleted stack has in Keystone cannot be removed"""
    cut_off: float = 0.0
    """an engine reaches neither database nor broker for a while, and is taken for dead"""

    @property
    def may_lose(self) -> bool:
        """Whether something may get lost that only a sweep finds again."""
        kinds = (self.kill, self.lost_message, self.lost_connection, self.clock_jump, self.cut_off)
        return any(kinds)


NO_FAULTS = Faults()
OCCASIONS = Faults(
    kill=0.05,
    conflict=0.1,
    lost_connection=0.08,
    lost_message=0.1,
    duplicate=0.4,
    late=0.5,
    refused=0.25,
    lost_answer=0.15,
    unreadable=0.1,
    clock_jump=0.03,
    credentials=0.3,
    cut_off=0.02,
)
"""the most of each that a run may have"""
HOW_OFTEN = {"clock_jump": 0.1, "unreadable": 0.15, "cut_off": 0.1, "kill": 0.45}
"""the share of runs that have a kind at all, 0.3 where nothing is said"""


def drawn(rng: random.Random) -> Faults:
    """The misfortunes of one run: a few kinds at a time, so that each gets its chance."""
    if rng.random() < 0.15:
        return Faults()
    return Faults(
        **{
            one.name: rng.random() * getattr(OCCASIONS, one.name)
            if rng.random() < HOW_OFTEN.get(one.name, 0.3)
            else 0.0
            for one in fields(Faults)
        }
    )


@dataclass
class Counts:
    """What a run went through."""

    nodes: int = 0
    """resources of the first template"""
    depth: int = 0
    """levels of nested stacks"""
    supersedes: int = 0
    """operations that began while another was under way"""
    units: int = 0
    transactions: int = 0
    resumed: int = 0
    """what sweepers found owed and gave"""
    previews: int = 0
    """updates that were compared with their preview"""
    ends: int = 0
    """stacks whose end was compared with their template"""
    faults: Counter[str] = field(default_factory=Counter)
    cut: Counter[str] = field(default_factory=Counter)
    """effects that a kill cut off"""
    states: Counter[str] = field(default_factory=Counter)
    """how stacks ended"""
    plots: Counter[str] = field(default_factory=Counter)

    @property
    def misfortunes(self) -> int:
        return sum(self.faults.values())


class Fate:
    """Decides what goes wrong, from the seed alone."""

    def __init__(self, rng: random.Random, faults: Faults, counts: Counts) -> None:
        self.random = rng
        self.faults = faults
        self.counts = counts
        self.quiet = False
        """nothing goes wrong any more: everything must come to an end now"""

    def chance(self, name: str) -> bool:
        """Whether this misfortune happens now; it counts."""
        probability = getattr(self.faults, name)
        if not probability or self.quiet or self.random.random() >= probability:
            return False
        self.counts.faults[name] += 1
        return True

    def kills(self) -> bool:
        return self.counts.faults["kill"] < KILLS_LIMIT and self.chance("kill")

    def of_request(self, when: str, call: HttpCall) -> None:
        """Raise what a service answers instead, if it does."""
        if not call.mutating:
            if when == "before" and "/domains" in call.path and self.chance("unreadable"):
                raise _error(call, 503, maybe_done=False)
            return
        if when == "before" and self.chance("refused"):
            status = self.random.choice([409, 409, 500])
            raise _error(call, status, maybe_done=False)
        if when == "after" and self.chance("lost_answer"):
            raise _error(call, 0, maybe_done=True)


def _error(call: HttpCall, status: int, *, maybe_done: bool) -> ServiceError:
    names = {0: "ConnectFailure", 409: "Conflict", 500: "InternalServerError", 503: "Unavailable"}
    return ServiceError(
        call.service,
        status,
        "simulated",
        error_class=names[status],
        text=f"simulated (HTTP {status})",
        maybe_done=maybe_done,
    )
