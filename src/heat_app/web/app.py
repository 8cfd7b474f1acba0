"""An API as an application for hypercorn's Trio worker: the stages around its operations.

Stages, outermost first, as the original's pipelines order them (facts/routes.json, pipelines):
health check, CORS, request id, faults, proxy headers, version; what comes then is each API's own.
An answer made further out lacks what the inner stages add: an unauthenticated OPTIONS has no
request id, a wrong version is never authenticated.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from hypercorn.typing import HTTPScope
from quart.typing import ResponseTypes
from quart.wrappers import Request, Response
from quart_trio import QuartTrio
from werkzeug.datastructures import Headers

from heat_app.config import Settings
from heat_app.web.answers import Answer, plain_answer
from heat_app.web.body_limit import SIZE_KEY, BodyLimit
from heat_app.web.cors import apply_cors
from heat_app.web.finishing import Finishing
from heat_app.web.health_backends import HealthCheck
from heat_app.web.healthcheck import healthcheck, is_healthcheck
from heat_app.web.pipeline import Pipeline
from heat_app.web.request import ApiRequest, decode_path, from_scope
from heat_app.web.slow_clients import BodyPatience
from heat_app.web.versions import negotiate
from heat_io.log_context import bound

__all__ = ["StagedApi", "new_request_id", "with_body"]

log = logging.getLogger(__name__)


def new_request_id() -> str:
    """A request id of our own."""
    return f"req-{uuid.uuid4()}"


class StagedApi(QuartTrio):
    """Quart reads requests and writes answers; routing and errors are ours.

    An API says how a request of its version is answered (`operate`) and what its errors look like
    (`fault`).
    """

    def __init__(
        self,
        settings: Settings,
        *,
        pipeline: Pipeline | None = None,
        new_request_id: Callable[[], str] = new_request_id,
    ) -> None:
        super().__init__(__name__, static_folder=None)
        self.settings = settings
        self._pipeline = pipeline or Pipeline()
        self._new_request_id = new_request_id
        self._health = HealthCheck.from_settings(settings.healthcheck)
        for sentence in self._health.complaints:
            log.warning(sentence)
        # Quart knows but one time for a whole body, and answers as it likes.
        self.config["BODY_TIMEOUT"] = None
        client_timeout = settings.heat_trio.client_timeout
        whole = Finishing(self.asgi_app, client_timeout)
        limit = BodyLimit(whole, settings.max_json_body_size)
        patience = BodyPatience(limit, client_timeout)
        self.asgi_app = patience  # type: ignore[method-assign] # Quart's way to add a middleware

    async def operate(self, request: Request, api_request: ApiRequest) -> Answer:
        """The answer to a request whose version is taken off; it may raise what `fault` knows.

        The body is still to be read, with `with_body(request, api_request)`.
        """
        raise NotImplementedError

    def fault(self, error: Exception, api_request: ApiRequest) -> Answer:
        """The answer for what `operate` has raised."""
        raise NotImplementedError

    async def handle_request(self, request: Request) -> ResponseTypes:
        """Answer one request; never raises but for a cancellation."""
        headers = request.headers
        method = cast(HTTPScope, request.scope)["method"]
        try:
            path: str | None = decode_path(request.scope["raw_path"])
        except UnicodeDecodeError:
            path = None
        if path is not None and is_healthcheck(path, self._pipeline.healthcheck_paths):
            return _response(self._health_answer(request, method))
        answer = await self._identified(request, headers, method, path)
        if self._pipeline.cors:
            answer = apply_cors(answer, method, headers, self.settings.cors)
        return _response(answer)

    def _health_answer(self, request: Request, method: str) -> Answer:
        scope, accept = cast(HTTPScope, request.scope), request.headers.get("Accept", "")
        client, server = scope["client"], scope["server"]
        if not self._health.is_for(client[0] if client else None, request.headers.get):
            return plain_answer(404, method, accept)
        results = self._health.results(server[1] if server else None)
        return healthcheck(method, accept, results, detailed=self._health.detailed)

    async def _identified(
        self, request: Request, headers: Headers, method: str, path: str | None
    ) -> Answer:
        request_id = self._new_request_id()
        with bound(request_id=request_id):
            if path is None:
                answer = plain_answer(400, method, headers.get("Accept", ""))
            else:
                api_request = replace(
                    from_scope(request.scope, headers, path=path), request_id=request_id
                )
                answer = await self._without_errors(request, api_request)
            log.info(
                "request answered",
                extra={"fields": {"method": method, "path": path, "status": answer.status}},
            )
        return answer.with_header("x-openstack-request-id", request_id)

    async def _without_errors(self, request: Request, api_request: ApiRequest) -> Answer:
        try:
            return await self._answer(request, api_request)
        except Exception as error:
            answer = self.fault(error, api_request)
            if answer.status >= 500:
                log.error("request failed", exc_info=error)
            return answer

    async def _answer(self, request: Request, api_request: ApiRequest) -> Answer:
        wanted = self.settings.oslo_middleware.enable_proxy_headers_parsing
        if wanted and self._pipeline.proxy_headers:
            api_request = api_request.behind_proxy()
        negotiated = negotiate(api_request)
        if isinstance(negotiated, Answer):
            return negotiated
        return await self.operate(request, negotiated)


async def with_body(request: Request, api_request: ApiRequest) -> ApiRequest:
    """The request with its body: read it only once it is known that somebody wants it."""
    body = await request.get_data(cache=True, as_text=False, parse_form_data=False)
    return replace(api_request, body=body, body_size=cast(int, request.scope.get(SIZE_KEY, 0)))


def _response(answer: Answer) -> Response:
    response: Response = QuartTrio.response_class(answer.body, status=answer.status)
    response.headers.clear()
    if answer.content_type is not None:
        response.headers["Content-Type"] = answer.content_type
    if answer.status != 204:
        response.headers["Content-Length"] = str(len(answer.body))
    for name, value in answer.headers:
        response.headers.add(name, value)
    return response
