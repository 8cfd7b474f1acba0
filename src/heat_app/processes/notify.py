"""What systemd is told about this process: sd_notify(3), a datagram of NAME=VALUE lines.

Without NOTIFY_SOCKET in the environment nobody is told anything.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

__all__ = ["Notifier"]

_NAMES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


@dataclass(frozen=True, slots=True)
class Notifier:
    """Tells the service manager at `address`; None: there is none.

    It wants a sign of life every `watchdog_seconds`; None: it wants none.
    """

    address: str | None = None
    watchdog_seconds: float | None = None

    @classmethod
    def taken_from(cls, environment: MutableMapping[str, str]) -> Self:
        """As the environment says, from which it is removed: children are not to speak for us."""
        found = {name: environment.pop(name, "") for name in _NAMES}
        return cls(found["NOTIFY_SOCKET"] or None, _watchdog_seconds(found))

    def ready(self, status: str) -> None:
        """The service serves; also after a reload."""
        self._send(READY="1", STATUS=status)

    def reloading(self) -> None:
        """The service takes a new configuration."""
        self._send(RELOADING="1", MONOTONIC_USEC=str(time.monotonic_ns() // 1000))

    def stopping(self, status: str) -> None:
        """The service has begun to end."""
        self._send(STOPPING="1", STATUS=status)

    def alive(self) -> None:
        """A sign of life for the watchdog."""
        self._send(WATCHDOG="1")

    def _send(self, **fields: str) -> None:
        if self.address is None:
            return
        # A name that begins with @ is in Linux's abstract namespace.
        address = "\0" + self.address[1:] if self.address.startswith("@") else self.address
        text = "\n".join(f"{name}={value}" for name, value in fields.items())
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            # A manager that can't be told is no reason to stop working.
            with suppress(OSError):
                sock.sendto(text.encode(), address)


def _watchdog_seconds(found: Mapping[str, str]) -> float | None:
    microseconds = found["WATCHDOG_USEC"]
    if not microseconds.isdecimal() or int(microseconds) == 0:
        return None
    if found["WATCHDOG_PID"] not in ("", str(os.getpid())):
        return None
    return int(microseconds) / 1e6
