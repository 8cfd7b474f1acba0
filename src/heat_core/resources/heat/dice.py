"""Even random choices made from the random bytes that a procedure asks for."""

from __future__ import annotations

from collections.abc import Sequence

from heat_core.procedure import ProcedureIO

_WORD = 4
_BATCH = 512


class Dice:
    """Draws numbers without bias: a word that would favour small results is thrown away."""

    __slots__ = ("_bytes", "_io", "_used")

    def __init__(self, io: ProcedureIO) -> None:
        self._io = io
        self._bytes = b""
        self._used = 0

    async def below(self, bound: int) -> int:
        """A number of 0 .. bound - 1, all equally likely; bound is at most 2**32."""
        fair = (1 << 8 * _WORD) // bound * bound
        while (word := await self._word()) >= fair:
            pass
        return word % bound

    async def fraction(self) -> float:
        """A number of 0 <= x < 1 in steps of 2**-32."""
        return await self._word() / (1 << 8 * _WORD)

    async def choose[T](self, members: Sequence[T]) -> T:
        """One of the members. IndexError when there is none."""
        if not members:
            raise IndexError("Cannot choose from an empty sequence")
        return members[await self.below(len(members))]

    async def shuffled[T](self, members: Sequence[T]) -> list[T]:
        """The members in an order of which all are equally likely."""
        result = list(members)
        for last in range(len(result) - 1, 0, -1):
            other = await self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    async def _word(self) -> int:
        if self._used + _WORD > len(self._bytes):
            self._bytes = await self._io.entropy(_BATCH)
            self._used = 0
        start = self._used
        self._used += _WORD
        return int.from_bytes(self._bytes[start : self._used])
