"""The native API as an application for hypercorn's Trio worker.

Stages, outermost first, as the original's pipeline orders them (facts/routes.json, pipelines):
health check, CORS, request id, faults, proxy headers, version, authentication, operation. An
answer made further out lacks what the inner stages add: an unauthenticated OPTIONS has no request
id, a wrong version is never authenticated.
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
from heat_app.native.answers import Answer, plain_answer
from heat_app.native.body import SIZE_KEY, BodyLimit
from heat_app.native.cors import apply_cors
from heat_app.native.dispatch import Dispatcher
from heat_app.native.faults import fault_answer, status_of
from heat_app.native.healthcheck import healthcheck, is_healthcheck
from heat_app.native.pipeline import Pipeline
from heat_app.native.ports import Authenticator, Engine, Policy
from heat_app.native.request import ApiRequest, decode_path, from_scope
from heat_app.native.slow_clients import BodyPatience
from heat_app.native.versions import negotiate
from heat_core.rpc import RequestContext
from heat_io.fetching import TemplateFetcher
from heat_io.log_context import bind, bound, caller_fields

log = logging.getLogger(__name__)


def _new_request_id() -> str:
    return f"req-{uuid.uuid4()}"


class NativeApi(QuartTrio):
    """Heat's native API. Quart reads requests and writes answers; routing and errors are ours."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        authenticator: Authenticator,
        settings: Settings,
        *,
        pipeline: Pipeline | None = None,
        new_request_id: Callable[[], str] = _new_request_id,
    ) -> None:
        super().__init__(__name__, static_folder=None)
        self._dispatcher = dispatcher
        self._authenticator = authenticator
        self._settings = settings
        self._pipeline = pipeline or Pipeline()
        self._new_request_id = new_request_id
        # Quart knows but one time for a whole body, and answers as it likes.
        self.config["BODY_TIMEOUT"] = None
        limit = BodyLimit(self.asgi_app, settings.max_json_body_size)
        patience = BodyPatience(limit, settings.heat_trio.client_timeout)
        self.asgi_app = patience  # type: ignore[method-assign] # Quart's way to add a middleware

    async def handle_request(self, request: Request) -> ResponseTypes:
        """Answer one request; never raises but for a cancellation."""
        headers = request.headers
        method = cast(HTTPScope, request.scope)["method"]
        try:
            path: str | None = decode_path(request.scope["raw_path"])
        except UnicodeDecodeError:
            path = None
        if path is not None and is_healthcheck(path, self._pipeline.healthcheck_paths):
            return _response(healthcheck(method, headers.get("Accept", "")))
        answer = await self._identified(request, headers, method, path)
        if self._pipeline.cors:
            answer = apply_cors(answer, method, headers, self._settings.cors)
        return _response(answer)

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
            if status_of(error) >= 500:
                log.error("request failed", exc_info=error)
            return fault_answer(
                error, content_type=api_request.content_type, debug=self._settings.debug
            )

    async def _answer(self, request: Request, api_request: ApiRequest) -> Answer:
        wanted = self._settings.oslo_middleware.enable_proxy_headers_parsing
        if wanted and self._pipeline.proxy_headers:
            api_request = api_request.behind_proxy()
        negotiated = negotiate(api_request)
        if isinstance(negotiated, Answer):
            return negotiated
        context = await self._authenticate(negotiated)
        if isinstance(context, Answer):
            return context
        found = self._dispatcher.find(negotiated)
        if found is not None:
            negotiated = await _with_body(request, negotiated)
        return await self._dispatcher.answer(negotiated, found, context)

    async def _authenticate(self, request: ApiRequest) -> RequestContext | Answer:
        outcome = await self._authenticator.authenticate(
            request.headers,  # type: ignore[arg-type] # a Mapping in all but its base class
            method=request.method,
            path=request.script + request.path,
            request_id=request.request_id,
            global_request_id=request.global_request_id,
        )
        if isinstance(outcome, RequestContext):
            bind(**caller_fields(outcome) | {"request_id": request.request_id})
            return replace(outcome, is_admin=self._dispatcher.policy.is_admin(outcome))
        headers = Headers(list(outcome.headers))
        content_type = headers.pop("Content-Type", None)
        return Answer(outcome.status, outcome.body, content_type, tuple(headers.items()))


async def _with_body(request: Request, api_request: ApiRequest) -> ApiRequest:
    """The request with its body, which is read only once it is known that somebody wants it."""
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


def create_app(
    engine: Engine,
    authenticator: Authenticator,
    policy: Policy,
    settings: Settings,
    *,
    pipeline: Pipeline | None = None,
) -> NativeApi:
    """The application: give it to hypercorn.trio.serve.

    `engine` is an EngineClient on the process's bus; `pipeline` says which stages it has, None:
    all of them.
    """
    fetcher = TemplateFetcher(
        limit_bytes=settings.max_template_size, deadline_seconds=settings.template_fetch_timeout
    )
    dispatcher = Dispatcher(engine=engine, policy=policy, settings=settings, fetcher=fetcher)
    return NativeApi(dispatcher, authenticator, settings, pipeline=pipeline)
