"""Requests to OpenStack's services: endpoint, token, retries, errors.

The retry table is heat_core.procedure.answers; here is only the acting on it. A request that
changes something is sent again only when it is certain that nothing was done; for the others the
error says `maybe_done` and the resource type looks for what it may have made.
"""

from __future__ import annotations

import logging
import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import trio

from heat_core.procedure import HttpAnswer, HttpCall, ServiceError
from heat_core.procedure.answers import (
    Fatal,
    Fine,
    Reauthenticate,
    Retry,
    Verdict,
    classify,
    classify_no_answer,
)
from heat_io.log_context import current_fields
from heat_io.openstack import service_errors
from heat_io.openstack.catalog import SERVICE_TYPE_ALIASES, Catalog, EndpointNotFound, join
from heat_io.openstack.client import HttpClient, NoAnswer
from heat_io.openstack.credentials import (
    Credentials,
    Password,
    PasswordLogin,
    ServiceUser,
    TokenRequest,
    Trust,
    TrustScope,
    UserToken,
)
from heat_io.openstack.identity import Refused
from heat_io.openstack.polling import PollPolicy
from heat_io.openstack.token_info import TokenInfo
from heat_io.openstack.tokens import NoToken, Tokens

log = logging.getLogger(__name__)

_REQUEST_ID = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Which endpoints to use and how patient to be.

    `interfaces` (service type -> interface) is [clients_*] endpoint_type, `interface` that of
    [clients]; `region_name` is region_name_for_services, `identity_region_name` that of
    [keystone_authtoken], `regions` (service type -> region) those of shared services. A context's
    own region goes before `region_name`, a shared service's before both. `retries` counts the
    repeats after the first try, `longest_wait_seconds` bounds each wait between two of them.
    """

    interface: str = "public"
    interfaces: Mapping[str, str] = field(default_factory=dict)
    region_name: str | None = None
    regions: Mapping[str, str] = field(default_factory=dict)
    identity_region_name: str | None = None
    retries: int = 4
    backoff_seconds: float = 0.5
    longest_wait_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Session:
    """A token to send with, and where it came from; `request` None: it can't be renewed."""

    token: str = field(repr=False)
    catalog: Catalog
    trust_id: str | None = field(default=None, repr=False)
    request: TokenRequest | None = None
    info: TokenInfo | None = None


class ServiceClient:
    """Sends HttpCalls for whoever the credentials stand for. One for a process."""

    def __init__(
        self,
        http: HttpClient,
        tokens: Tokens,
        *,
        service_user: TokenRequest,
        trustee: PasswordLogin,
        settings: ServiceSettings | None = None,
        clients: Mapping[str, HttpClient] | None = None,
        polling: PollPolicy | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`service_user` is [keystone_authtoken]'s user, `trustee` that of [trustee].

        `clients` (service type -> client) are for services that want another than `http`.
        """
        self._http = http
        self._clients = clients or {}
        self._tokens = tokens
        self._service_user = service_user
        self._trustee = trustee
        self._settings = settings or ServiceSettings()
        self._jitter = jitter
        self.polling = polling or PollPolicy()

    async def send(
        self,
        credentials: Credentials,
        call: HttpCall,
        *,
        request_id: str | None = None,
        deadline_seconds: float | None = None,
    ) -> HttpAnswer:
        """Send the call and give its answer: below 400, or a status in `call.expect`.

        `request_id` travels with the request, by default the one bound to the log context;
        `deadline_seconds` bounds each try. Raises ServiceError. What the caller cancels is given
        up wherever it stands; who must not lose an answer shields the call.
        """
        attempt, renewed = 0, False
        while True:
            session = await self.session(credentials, call.service)
            url = self._url(session, credentials, call)
            verdict, outcome = await self._try(session, call, url, request_id, deadline_seconds)
            if isinstance(outcome, HttpAnswer) and (
                isinstance(verdict, Fine) or outcome.status in call.expect
            ):
                return outcome
            if isinstance(verdict, Reauthenticate) and session.request and not renewed:
                self._tokens.invalidate(session.request, session.token)
                renewed = True
            elif isinstance(verdict, Retry) and attempt < self._settings.retries:
                wait = self._wait(call, verdict, attempt)
                if trio.current_time() + wait >= trio.current_effective_deadline():
                    # Our caller won't wait that long: better the service's word than a cut.
                    raise _error(call.service, verdict, outcome)
                await trio.sleep(wait)
                attempt += 1
            else:
                raise _error(call.service, verdict, outcome)

    async def session(self, credentials: Credentials, service: str = "identity") -> Session:
        """A token and its catalog; raises ServiceError for credentials that give none."""
        if isinstance(credentials, UserToken):
            return await self._user_session(credentials, service)
        request = self.token_request(credentials)
        try:
            info = await self._tokens.get(request)
            if isinstance(credentials, Trust):
                _check_trust(credentials, info)
        except NoToken as error:
            raise service_errors.from_no_token(service, error) from error
        return Session(info.token, info.catalog, info.trust_id, request, info)

    def token_request(self, credentials: Trust | Password | ServiceUser) -> TokenRequest:
        """The key under which these credentials' token is cached."""
        if isinstance(credentials, Trust):
            return TokenRequest(self._trustee, TrustScope(credentials.trust_id))
        if isinstance(credentials, Password):
            return credentials.request
        return self._service_user

    async def _user_session(self, credentials: UserToken, service: str) -> Session:
        info = None
        if credentials.info is not None:
            try:
                info = TokenInfo.from_answer(credentials.token, credentials.info)
            except ValueError as error:
                raise AssertionError("a context's auth_token_info holds no token") from error
            if info.catalog.endpoints:
                return Session(credentials.token, info.catalog, info.trust_id, None, info)
        # The API was told to leave catalogs out of contexts (include_service_catalog).
        try:
            catalog = await self._tokens.catalog(
                self._service_user.login.auth_url, credentials.token
            )
        except NoToken as error:
            raise service_errors.from_no_token(service, error) from error
        return Session(credentials.token, catalog, info.trust_id if info else None, None, info)

    def _url(self, session: Session, credentials: Credentials, call: HttpCall) -> str:
        settings = self._settings
        region = credentials.region_name or settings.region_name
        region = settings.regions.get(call.service, region)
        if call.service == "identity":
            region = settings.identity_region_name or region
        try:
            base = session.catalog.url(
                call.service,
                interface=settings.interfaces.get(call.service, settings.interface),
                region=region,
            )
        except EndpointNotFound as error:
            raise service_errors.from_missing_endpoint(call.service, error) from error
        return join(base, call.path, service_type=call.service)

    async def _try(
        self,
        session: Session,
        call: HttpCall,
        url: str,
        request_id: str | None,
        deadline_seconds: float | None,
    ) -> tuple[Verdict, HttpAnswer | NoAnswer]:
        headers = dict(call.headers) | {"X-Auth-Token": session.token}
        request_id = request_id or str(current_fields().get("request_id") or "")
        if _REQUEST_ID.match(request_id):  # the services ignore any other form
            headers["X-Openstack-Request-Id"] = request_id
        try:
            answer = await self._clients.get(call.service, self._http).request(
                call.method,
                url,
                body=call.body,
                query=call.query,
                headers=headers,
                deadline_seconds=deadline_seconds,
            )
        except NoAnswer as error:
            return classify_no_answer(call.method, sent=error.sent), error
        if _trust_is_gone(session, answer):
            return Reauthenticate(), answer
        verdict = classify(call.method, answer.status, answer.headers)
        if isinstance(verdict, Retry) and verdict.throttled:
            self.polling.throttled(_official(call.service), verdict.after_seconds)
        return verdict, answer

    def _wait(self, call: HttpCall, verdict: Retry, attempt: int) -> float:
        settings = self._settings
        # Twice the spread of one wait: tasks that failed together don't come back together.
        backoff = settings.backoff_seconds * math.pow(2.0, attempt) * (0.5 + self._jitter())
        wait = min(max(backoff, verdict.after_seconds or 0.0), settings.longest_wait_seconds)
        log.info(
            "a request is sent again",
            extra={
                "fields": {
                    "method": call.method,
                    "service": call.service,
                    "path": call.path,
                    "attempt": attempt + 1,
                    "wait_seconds": round(wait, 3),
                }
            },
        )
        return wait

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        """Seconds to wait before the next look at a service (a procedure's Pause)."""
        return self.polling.delay(_official(service), attempt, hint_seconds)


def _error(service: str, verdict: Verdict, outcome: HttpAnswer | NoAnswer) -> ServiceError:
    maybe_done = isinstance(verdict, Fatal) and verdict.maybe_done
    away = isinstance(verdict, Retry) and not verdict.throttled
    if isinstance(outcome, NoAnswer):
        return service_errors.from_no_answer(service, outcome, maybe_done=maybe_done, away=away)
    if isinstance(verdict, Reauthenticate) and outcome.status == 404:
        return service_errors.from_no_token(
            service, NoToken(Refused(401, "the trust of the token is gone"))
        )
    return service_errors.from_answer(service, outcome, maybe_done=maybe_done, away=away)


def _check_trust(credentials: Trust, info: TokenInfo) -> None:
    # As Heat checks: the token must come from the trust and stand for its trustor.
    if info.trust_id is None or (
        credentials.trustor_user_id is not None and info.user_id != credentials.trustor_user_id
    ):
        log.error("the trust gave a token for somebody else")
        raise NoToken(Refused(401, "Trust impersonation failed"))


def _trust_is_gone(session: Session, answer: HttpAnswer) -> bool:
    """Whether this 404 says that our token's trust was deleted.

    Keystone answers any request with such a token with 404. Taken for "the object isn't there" it
    would let a delete succeed that deleted nothing.
    """
    if answer.status != 404 or not session.trust_id or not isinstance(answer.body, Mapping):
        return False
    error = answer.body.get("error")
    text = error.get("message") if isinstance(error, Mapping) else None
    return text == f"Could not find trust: {session.trust_id}."


def _official(service: str | None) -> str | None:
    for name, aliases in SERVICE_TYPE_ALIASES.items():
        if service in aliases:
            return name
    return service
