"""Is this token good? Keystone's word, remembered for a while.

As keystonemiddleware's auth_token, with three differences that no client sees: tokens that many
requests bring at once are asked about once; that a token is unknown is remembered for a few
seconds; the memory is bounded.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import trio

from heat_io.openstack.catalog import EndpointNotFound
from heat_io.openstack.credentials import TokenRequest
from heat_io.openstack.identity import Denied, Identity, Refused, Unavailable
from heat_io.openstack.single_flight import SingleFlight
from heat_io.openstack.token_info import TokenInfo
from heat_io.openstack.tokens import NoToken, Tokens

log = logging.getLogger(__name__)

type Validation = TokenInfo | Refused | Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorSettings:
    """Options of [keystone_authtoken], with its names and defaults where it has them.

    Of the times (seconds), 0 means for good and -1 not at all; `refusal_cache_time` is ours.
    """

    interface: str = "internal"
    region_name: str | None = None
    include_service_catalog: bool = True
    token_cache_time: int = 300
    refusal_cache_time: int = 5
    max_entries: int = 2000


@dataclass(frozen=True, slots=True)
class _Entry:
    outcome: TokenInfo | Refused
    until: float


def utc_now() -> datetime:
    return datetime.now(UTC)


class TokenValidator:
    """Validates users' tokens with the service's own."""

    def __init__(
        self,
        identity: Identity,
        tokens: Tokens,
        own: TokenRequest,
        settings: ValidatorSettings | None = None,
        *,
        wall_clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._identity = identity
        self._tokens = tokens
        self._own = own
        self._settings = settings or ValidatorSettings()
        self._wall_clock = wall_clock
        self._entries: OrderedDict[tuple[str, bool], _Entry] = OrderedDict()
        self._flights: SingleFlight[tuple[str, bool], Validation] = SingleFlight()

    async def validate(self, token: str, *, allow_expired: bool = False) -> Validation:
        """What the token stands for, or why it is not accepted.

        `allow_expired` also accepts a token that expired a short time ago; only requests with a
        service token may ask for it. Never raises for what Keystone says or fails to say.
        """
        token = token.strip()
        if not token:
            return Refused(404, "the token is empty")
        # The token itself is no key: a dump of the cache's keys must not be a list of tokens.
        key = (hashlib.sha256(token.encode()).hexdigest(), allow_expired)
        outcome: Validation | None = self._remembered(key)
        if outcome is None:
            outcome = await self._flights.do(key, lambda: self._ask(key, token))
        if (
            isinstance(outcome, TokenInfo)
            and not allow_expired
            and outcome.expires_at <= self._wall_clock()
        ):
            return Refused(404, "the token has expired")
        return outcome

    def _remembered(self, key: tuple[str, bool]) -> TokenInfo | Refused | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if trio.current_time() >= entry.until:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return entry.outcome

    async def _ask(self, key: tuple[str, bool], token: str) -> Validation:
        for attempt in range(2):
            try:
                own = await self._tokens.get(self._own)
            except NoToken as error:
                # Our own password is refused: that is our fault, not the user's.
                log.critical(
                    "no token for the service itself", extra={"fields": {"why": str(error)}}
                )
                return Unavailable(0, f"no token for the service itself: {error}")
            outcome = await self._identity.validate(
                self._base_url(own),
                own.token,
                token,
                include_catalog=self._settings.include_service_catalog,
                allow_expired=key[1],
            )
            if not isinstance(outcome, Denied):
                self._remember(key, outcome)
                return outcome
            self._tokens.invalidate(self._own, own.token)
            log.info("Keystone rejected the service's token", extra={"fields": {"try": attempt}})
        return Unavailable(401, "Keystone rejects the service's own token")

    def _base_url(self, own: TokenInfo) -> str:
        try:
            return own.catalog.url(
                "identity", interface=self._settings.interface, region=self._settings.region_name
            )
        except EndpointNotFound:
            # A Keystone that isn't in its own catalog still answers where it gave us the token.
            return self._own.login.auth_url

    def _remember(self, key: tuple[str, bool], outcome: Validation) -> None:
        if isinstance(outcome, TokenInfo):
            seconds = float(self._settings.token_cache_time)
        elif isinstance(outcome, Refused):
            seconds = float(self._settings.refusal_cache_time)
        else:
            return
        if seconds < 0:
            return
        until = trio.current_time() + seconds if seconds else math.inf
        self._entries[key] = _Entry(outcome, until)
        self._entries.move_to_end(key)
        while len(self._entries) > self._settings.max_entries:
            self._entries.popitem(last=False)
