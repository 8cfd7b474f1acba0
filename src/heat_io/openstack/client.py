"""One HTTP client a process, for every OpenStack service.

It knows no service and no credentials: a request goes in, an answer comes out, or the reason why
none came. Whether a request without an answer may have reached the service decides whether it can
be repeated, so the two cases are two exceptions.
"""

from __future__ import annotations

import json
import logging
import ssl
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2
import trio

from heat_core.procedure import HttpAnswer

log = logging.getLogger(__name__)

USER_AGENT = "heat-trio"
CONNECT_SECONDS = 10.0
MASK = "***"
_SECRET_HEADERS = frozenset(
    {
        "authorization",
        "cookie",
        "set-cookie",
        "x-auth-key",
        "x-auth-token",
        "x-service-token",
        "x-storage-token",
        "x-subject-token",
    }
)
# The moment from which a service may have seen the request.
_SENDING = frozenset({"http11.send_request_headers.started", "http2.send_request_headers.started"})
# Nothing of the request has left this process when one of these is raised.
_NOT_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
    httpx2.ProxyError,
)


class NoAnswer(Exception):
    """No answer came. `sent`: whether the service may have seen the request; `timed_out`: why."""

    sent = True

    def __init__(self, url: str, reason: str, *, timed_out: bool = False) -> None:
        super().__init__(f"no answer from {url}: {reason}")
        self.url = url
        self.reason = reason
        self.timed_out = timed_out


class NotSent(NoAnswer):
    """The request never reached the service: refused, unreachable, or out of time before that."""

    sent = False


class AnswerLost(NoAnswer):
    """The request left this process; whether the service acted on it is unknown."""


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """Whom to believe, and what to show: files in PEM, options of heat.conf.

    Without `ca_file` the system's authorities count; with `insecure` nobody is checked.
    """

    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    insecure: bool = False

    def verification(self) -> ssl.SSLContext | bool:
        """What httpx2 takes as `verify`. OSError for a file that can't be read or used."""
        if not self.insecure and not self.cert_file and not self.ca_file:
            return True
        context = ssl.create_default_context(cafile=self.ca_file)
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.cert_file:
            context.load_cert_chain(self.cert_file, self.key_file)
        return context


class HttpClient:
    """JSON over HTTP with a deadline a request; no redirects, no cookies, no retries.

    Make one a process with `HttpClient.open`. Safe to use from any number of tasks; a cancelled
    request gives its connection up and leaves the others alone.
    """

    def __init__(
        self, client: httpx2.AsyncClient, *, deadline_seconds: float = 60.0, traces: bool = True
    ) -> None:
        """`traces`: the transport reports when it begins to send, as httpx2's own does."""
        self._client = client
        self._deadline_seconds = deadline_seconds
        self._traces = traces

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        *,
        deadline_seconds: float = 60.0,
        connect_seconds: float = CONNECT_SECONDS,
        max_connections: int = 100,
        tls: TlsOptions | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> AsyncGenerator[HttpClient]:
        """Open the process's client; `transport` replaces the network in tests.

        `deadline_seconds` bounds a whole request, the wait for a free connection included.
        """
        _quieten_libraries()
        async with httpx2.AsyncClient(
            transport=transport,
            verify=(tls or TlsOptions()).verification(),
            follow_redirects=False,
            trust_env=True,
            timeout=httpx2.Timeout(None, connect=connect_seconds),
            limits=httpx2.Limits(
                max_connections=max_connections,
                max_keepalive_connections=max_connections,
                # Shorter than the two seconds after which gunicorn closes an idle connection: a
                # request on a connection that is just being closed is lost, and a POST among them
                # can't be repeated.
                keepalive_expiry=1.5,
            ),
            headers={"User-Agent": USER_AGENT, "Accept": "application/json"},
        ) as client:
            yield cls(client, deadline_seconds=deadline_seconds, traces=transport is None)

    async def request(
        self,
        method: str,
        url: str,
        *,
        body: Any = None,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        deadline_seconds: float | None = None,
    ) -> HttpAnswer:
        """Send one request and read the whole answer, whatever its status.

        `body` is sent as JSON, bytes and str as they are. In the answer, JSON is decoded, other
        content is text; header names are in lower case. Raises NotSent or AnswerLost.
        """
        arguments: dict[str, Any] = {"headers": headers}
        if isinstance(body, bytes | str):
            arguments["content"] = body
        elif body is not None:
            arguments["json"] = body
        if query:
            arguments["params"] = list(query)
        started = trio.current_time()
        seconds = self._deadline_seconds if deadline_seconds is None else deadline_seconds
        outcome = await self._exchange(method, url, seconds, arguments)
        fields: dict[str, object] = {
            "method": method,
            "url": shown_url(url),
            "seconds": round(trio.current_time() - started, 3),
        }
        if isinstance(outcome, NoAnswer):
            log.info("no answer from a service", extra={"fields": fields | {"why": outcome.reason}})
            raise outcome
        lower = {name.lower(): value for name, value in outcome.headers.items()}
        fields["status"] = outcome.status_code
        fields["service_request_id"] = lower.get("x-openstack-request-id")
        log.debug("a service answered", extra={"fields": fields})
        return HttpAnswer(outcome.status_code, _decoded(outcome), lower)

    async def _exchange(
        self, method: str, url: str, seconds: float, arguments: dict[str, Any]
    ) -> httpx2.Response | NoAnswer:
        sending = False

        async def trace(event: str, _info: Mapping[str, Any]) -> None:
            nonlocal sending
            sending = sending or event in _SENDING

        kind: type[NoAnswer]
        with trio.move_on_after(seconds):
            try:
                return await self._client.request(
                    method, url, extensions={"trace": trace}, **arguments
                )
            except httpx2.RequestError as error:
                timed_out = isinstance(error, httpx2.TimeoutException)
                early = isinstance(error, _NOT_SENT) and not sending
                kind = NotSent if early else AnswerLost
                return kind(shown_url(url), _reason(error), timed_out=timed_out)
        # Out of time: only a transport that would have told can be taken at its silence.
        kind = AnswerLost if sending or not self._traces else NotSent
        return kind(shown_url(url), f"no answer within {seconds:g} s", timed_out=True)


def masked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers as they may be shown: tokens and cookies are masked."""
    return {
        name: MASK if name.lower() in _SECRET_HEADERS else value for name, value in headers.items()
    }


def shown_url(url: str) -> str:
    """The URL without user, password, query and fragment: those may hold secrets."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _decoded(response: httpx2.Response) -> Any:
    if not response.content:
        return None
    if "json" in response.headers.get("content-type", ""):
        try:
            return json.loads(response.content)
        except ValueError:
            pass
    return response.text


def _reason(error: BaseException) -> str:
    """The first text on the way to the cause: a failed handshake says nothing by itself."""
    found: BaseException | None = error
    while found is not None:
        if str(found):
            return str(found)
        found = found.__cause__ or found.__context__
    return type(error).__name__


def _quieten_libraries() -> None:
    # Both write URLs with their queries, and the headers with their tokens, at DEBUG and INFO.
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
