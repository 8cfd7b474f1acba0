"""How the demonstration shows a stack's progress: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import IO, Any

__all__ = ["Progress", "changed_lines"]

BAR_WIDTH = 30


def changed_lines(before: Mapping[str, str], now: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each resource whose status is not what it was; `now` is the API's list.

    What has ended comes before what has begun: seen at the same time, the one let the other go.
    """
    lines = []
    for resource in sorted(now, key=lambda one: one["resource_status"].endswith("_IN_PROGRESS")):
        name, status = resource["resource_name"], resource["resource_status"]
        if before.get(name) == status or status == "INIT_COMPLETE":
            continue
        line = f"{status:<18} {name}  {resource['resource_type']}"
        reason = resource.get("resource_status_reason") or ""
        if status.endswith("_FAILED") and reason:
            line += f": {reason}"
        lines.append(line)
    return lines


class Progress:
    """Writes changes as they come; `done` wipes the bar."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stdout
        self._terminal = self._stream.isatty()
        self._statuses: dict[str, str] = {}

    def show(self, resources: Sequence[Mapping[str, Any]]) -> None:
        """Print what changed since the last call, and the bar below it."""
        lines = changed_lines(self._statuses, resources)
        self._statuses = {one["resource_name"]: one["resource_status"] for one in resources}
        self._wipe()
        for line in lines:
            self._stream.write(f"  {line}\n")
        if self._terminal and resources:
            self._stream.write(self._bar())
        self._stream.flush()

    def done(self) -> None:
        """Leave only the lines."""
        self._wipe()
        self._stream.flush()

    def _wipe(self) -> None:
        if self._terminal:
            self._stream.write("\r\x1b[2K")

    def _bar(self) -> str:
        total = len(self._statuses)
        complete = sum(
            status.endswith("_COMPLETE") and status != "INIT_COMPLETE"
            for status in self._statuses.values()
        )
        filled = BAR_WIDTH * complete // total
        running = [name for name, now in self._statuses.items() if now.endswith("_IN_PROGRESS")]
        text = f"  [{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {complete}/{total}"
        if running:
            text += "  " + ", ".join(running)
        return text[: shutil.get_terminal_size().columns - 1]
