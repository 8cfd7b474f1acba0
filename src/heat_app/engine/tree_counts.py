"""How many resources a tree of stacks has, without counting them for each nested stack.

A tree of N nested stacks would be counted N times while it is made, N rows each. So a count is
remembered for a moment, with what was let in since added to it, and only where the limit comes near
is the tree counted again. Source: rules/e-identity.md#25.
"""

from __future__ import annotations

from dataclasses import dataclass

import trio

from heat_core.stack import StackId, StackLimits
from heat_io.database import Database, resources

FRESH_SECONDS = 5.0
"""how long others may let something in that this process does not know of"""
NEAR = 0.9
"""the part of the limit from which on every check counts"""
KEPT_TREES = 1000


@dataclass(slots=True)
class _Counted:
    count: int
    at: float


class TreeCounts:
    """The counts of one engine; times are the event loop's."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counted: dict[StackId, _Counted] = {}

    async def check_room(
        self, root_id: StackId, limits: StackLimits, *, adding: int, instead_of: int = 0
    ) -> None:
        """RequestLimitExceeded when the tree cannot have that many resources more.

        `instead_of` are rows that are there already and count for those that are added.
        """
        if limits.is_unlimited:
            return
        more = adding - instead_of
        known = self._counted.get(root_id)
        near = limits.max_resources_per_stack * NEAR
        now = trio.current_time()
        if known is None or now - known.at > FRESH_SECONDS or known.count + more > near:
            count = await self._database.read(
                lambda connection: resources.count_under(connection, root_id)
            )
            known = _Counted(count, now)
            self._keep(root_id, known)
        limits.check_resources(known.count + more)
        known.count += max(more, 0)

    def _keep(self, root_id: StackId, counted: _Counted) -> None:
        self._counted.pop(root_id, None)
        self._counted[root_id] = counted
        while len(self._counted) > KEPT_TREES:
            del self._counted[next(iter(self._counted))]
