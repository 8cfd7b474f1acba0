"""Tokens that the service gets for itself and through trusts.

One entry a request (who, for what). Theory of operation:

- A token is used until a margin before its end, counted from its arrival by our monotonic clock
  and by the lifetime that Keystone gave it: no two machines' wall clocks are compared.
- In the margin one caller fetches the next token while Keystone answers; when Keystone is down the
  old one serves to its very end.
- Everybody who needs a token that isn't there waits for one request (single_flight).
- Who gets a 401 with a token says so with `invalidate`; it drops just that token, so that ten
  tasks that all got a 401 make one new request.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

import trio

from heat_io.openstack.catalog import Catalog
from heat_io.openstack.credentials import TokenRequest
from heat_io.openstack.identity import Identity, Refused, Unavailable
from heat_io.openstack.single_flight import SingleFlight
from heat_io.openstack.token_info import TokenInfo


class NoToken(Exception):
    """Keystone gave no token; `outcome` says whether it refused or could not be asked."""

    def __init__(self, outcome: Refused | Unavailable) -> None:
        super().__init__(outcome.text)
        self.outcome = outcome

    @property
    def refused(self) -> bool:
        return isinstance(self.outcome, Refused)


@dataclass(frozen=True, slots=True)
class _Entry:
    info: TokenInfo
    renew_at: float
    ends_at: float


class Tokens:
    """The process's cache of its own tokens, least recently used first out."""

    def __init__(
        self, identity: Identity, *, margin_seconds: float = 120.0, max_entries: int = 2000
    ) -> None:
        """Renewed `margin_seconds` before the end, or in the last fifth of a short life."""
        self._identity = identity
        self._margin_seconds = margin_seconds
        self._max_entries = max_entries
        self._entries: OrderedDict[TokenRequest, _Entry] = OrderedDict()
        self._flights: SingleFlight[TokenRequest, TokenInfo | Refused | Unavailable] = (
            SingleFlight()
        )
        self._catalogs: OrderedDict[str, Catalog] = OrderedDict()
        self._catalog_flights: SingleFlight[str, Catalog | Refused | Unavailable] = SingleFlight()

    async def get(self, request: TokenRequest) -> TokenInfo:
        """A token that is good for a while; raises NoToken."""
        entry = self._entries.get(request)
        if entry is not None and trio.current_time() < entry.renew_at:
            self._entries.move_to_end(request)
            return entry.info
        outcome = await self._flights.do(request, lambda: self._fetch(request))
        if isinstance(outcome, TokenInfo):
            return outcome
        if isinstance(outcome, Unavailable):
            entry = self._entries.get(request)
            if entry is not None and trio.current_time() < entry.ends_at:
                return entry.info
        raise NoToken(outcome)

    def invalidate(self, request: TokenRequest, token: str) -> None:
        """Forget this token; a newer one for the same request stays."""
        entry = self._entries.get(request)
        if entry is not None and entry.info.token == token:
            del self._entries[request]

    def forget(self, request: TokenRequest) -> None:
        """Forget whatever token is there, e.g. because its trust was deleted."""
        self._entries.pop(request, None)

    async def catalog(self, auth_url: str, token: str) -> Catalog:
        """The catalog of a token that came without one; kept as long as there is room.

        Raises NoToken when the token isn't good (any more) or Keystone can't be asked.
        """
        key = hashlib.sha256(token.encode()).hexdigest()
        found = self._catalogs.get(key)
        if found is not None:
            self._catalogs.move_to_end(key)
            return found
        outcome = await self._catalog_flights.do(
            key, lambda: self._identity.catalog(auth_url, token)
        )
        if not isinstance(outcome, Catalog):
            raise NoToken(outcome)
        self._catalogs[key] = outcome
        while len(self._catalogs) > self._max_entries:
            self._catalogs.popitem(last=False)
        return outcome

    async def _fetch(self, request: TokenRequest) -> TokenInfo | Refused | Unavailable:
        asked_at = trio.current_time()
        outcome = await self._identity.authenticate(request)
        if isinstance(outcome, TokenInfo):
            lifetime = outcome.lifetime_seconds
            ends_at = asked_at + lifetime
            margin = min(self._margin_seconds, lifetime / 5)
            self._entries[request] = _Entry(outcome, ends_at - margin, ends_at)
            self._entries.move_to_end(request)
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)
        elif isinstance(outcome, Refused):
            self._entries.pop(request, None)
        return outcome
