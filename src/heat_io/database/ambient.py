"""What every unit of work needs beside its connection: clock, randomness, cipher, retention.

They belong to the database, not to each call, so they ride on the engine's execution options and
a plain function finds them with `ambient(connection)`.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, cast

from sqlalchemy import Connection

from heat_io.database.cipher import Cipher

OPTION: Final = "heat_ambient"


def utc_now() -> datetime:
    """Naive UTC, as the columns hold it (rules/j-encodings.md#3)."""
    return datetime.now(UTC).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Retention:
    """How many events a stack keeps: the options `max_events_per_stack` (0: all of them) and
    `event_purge_batch_size`."""

    max_events: int = 1000
    purge_batch: int = 200


@dataclass(frozen=True, slots=True)
class Ambient:
    """`now` gives naive UTC, `random` a number in [0, 1), `cipher` the key of secret columns."""

    now: Callable[[], datetime] = utc_now
    random: Callable[[], float] = random_module.random
    cipher: Cipher | None = field(default=None, repr=False)
    retention: Retention = field(default_factory=Retention)

    def require_cipher(self) -> Cipher:
        """The cipher; AssertionError when the database was opened without one."""
        if self.cipher is None:
            raise AssertionError("A secret column was touched, but the database has no cipher.")
        return self.cipher


def ambient(connection: Connection) -> Ambient:
    """The surroundings of `connection`; real clock and no cipher where nothing was given."""
    found = connection.get_execution_options().get(OPTION)
    return Ambient() if found is None else cast(Ambient, found)
