"""What is asked of Keystone: who is this password, what is this token, where is what?

Answers are values, the refusals too, so that everybody who waits for one request gets them
(single_flight). Only a mistake of ours is an exception.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import trio

from heat_core.procedure import HttpAnswer
from heat_core.procedure.answers import Retry, classify, classify_no_answer
from heat_io.openstack.catalog import Catalog, identity_v3, join
from heat_io.openstack.client import HttpClient, NoAnswer
from heat_io.openstack.credentials import TokenRequest
from heat_io.openstack.token_info import TokenInfo

log = logging.getLogger(__name__)

# The middleware says with it that it knows how to check the access rules of application
# credentials; without it Keystone hides tokens that have such rules.
_ACCESS_RULES = {"OpenStack-Identity-Access-Rules": "1"}


@dataclass(frozen=True, slots=True)
class Refused:
    """Keystone does not accept the password, or does not know the token."""

    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Denied:
    """Keystone does not accept our own token, with which we asked about another one."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Keystone gave no usable answer; `status` 0 when it gave none at all."""

    status: int
    text: str
    timed_out: bool = False


class Identity:
    """Asks Keystone; reconnects a few times, each time after a longer pause."""

    def __init__(
        self,
        http: HttpClient,
        *,
        retries: int = 3,
        backoff_seconds: float = 0.5,
        deadline_seconds: float = 30.0,
        jitter: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """`jitter` gives numbers in [0, 1): the share of a pause that is added to it."""
        self._http = http
        self._retries = retries
        self._backoff_seconds = backoff_seconds
        self._deadline_seconds = deadline_seconds
        self._jitter = jitter

    async def authenticate(
        self, request: TokenRequest, *, global_request_id: str | None = None
    ) -> TokenInfo | Refused | Unavailable:
        """A new token for a password. Asking twice does no harm, so lost answers are asked anew."""
        url = identity_v3(request.login.auth_url) + "/auth/tokens"
        headers = {"X-Openstack-Request-Id": global_request_id} if global_request_id else {}
        answer = await self._ask("POST", url, body=request.body(), headers=headers)
        if isinstance(answer, Unavailable):
            return answer
        if answer.status == 201 and (token := answer.headers.get("x-subject-token")):
            return _read(token, answer)
        # An unknown user, a wrong password and a deleted trust are all 401; a trust whose trustor
        # lost the project is 403, a vanished project 404.
        if answer.status in (401, 403, 404):
            return Refused(answer.status, message_of(answer))
        return Unavailable(answer.status, message_of(answer))

    async def validate(
        self,
        base_url: str,
        own_token: str,
        token: str,
        *,
        include_catalog: bool = True,
        allow_expired: bool = False,
    ) -> TokenInfo | Refused | Denied | Unavailable:
        """What Keystone knows about `token`, asked with our own token."""
        query = []
        if not include_catalog:
            query.append(("nocatalog", ""))
        if allow_expired:
            query.append(("allow_expired", "1"))
        answer = await self._ask(
            "GET",
            join(base_url, "/auth/tokens", service_type="identity"),
            headers={"X-Auth-Token": own_token, "X-Subject-Token": token, **_ACCESS_RULES},
            query=tuple(query),
        )
        if isinstance(answer, Unavailable):
            return answer
        if answer.status == 200:
            return _read(token, answer)
        if answer.status == 404:
            return Refused(404, message_of(answer))
        if answer.status == 401:
            return Denied()
        return Unavailable(answer.status, message_of(answer))

    async def catalog(self, base_url: str, token: str) -> Catalog | Refused | Unavailable:
        """The catalog of a token, asked with the token itself."""
        url = join(base_url, "/auth/catalog", service_type="identity")
        answer = await self._ask("GET", url, headers={"X-Auth-Token": token})
        if isinstance(answer, Unavailable):
            return answer
        if answer.status == 200 and isinstance(answer.body, Mapping):
            return Catalog.from_token(answer.body)
        # 404: the token's trust is gone. 403: the token has no scope, and so no catalog.
        if answer.status in (401, 403, 404):
            return Refused(answer.status, message_of(answer))
        return Unavailable(answer.status, message_of(answer))

    async def _ask(
        self,
        method: str,
        url: str,
        *,
        body: Any = None,
        headers: dict[str, str],
        query: tuple[tuple[str, str], ...] = (),
    ) -> HttpAnswer | Unavailable:
        attempt = 0
        while True:
            result: HttpAnswer | Unavailable
            try:
                result = await self._http.request(
                    method,
                    url,
                    body=body,
                    headers=headers,
                    query=query,
                    deadline_seconds=self._deadline_seconds,
                )
                # Making a token repeats as safely as reading one.
                verdict = classify("GET", result.status, result.headers)
            except NoAnswer as error:
                result = Unavailable(0, str(error), error.timed_out)
                verdict = classify_no_answer("GET", sent=error.sent)
                if error.timed_out:
                    return result
            if not isinstance(verdict, Retry) or attempt >= self._retries:
                return result
            pause = self._backoff_seconds * 2**attempt * (1 + self._jitter())
            await trio.sleep(max(pause, min(verdict.after_seconds or 0.0, self._deadline_seconds)))
            attempt += 1


def message_of(answer: HttpAnswer) -> str:
    """The service's own words in an error answer."""
    if isinstance(answer.body, dict):
        error = answer.body.get("error")
        if isinstance(error, dict) and error.get("message"):
            return str(error["message"])
    return f"HTTP {answer.status}"


def _read(token: str, answer: HttpAnswer) -> TokenInfo | Unavailable:
    try:
        return TokenInfo.from_answer(token, answer.body)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("Keystone's answer is not a token", extra={"fields": {"why": str(error)}})
        return Unavailable(answer.status, "the answer holds no token")
