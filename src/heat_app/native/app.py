"""The native API as an application: authentication, then the operation, inside of the stages that
it shares with the CloudFormation API (heat_app.web.app)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from quart.wrappers import Request
from werkzeug.datastructures import Headers

from heat_app.config import Settings
from heat_app.native.dispatch import Dispatcher
from heat_app.native.faults import fault_answer
from heat_app.native.ports import Authenticator, Engine, Policy
from heat_app.web.answers import Answer
from heat_app.web.app import StagedApi, new_request_id, with_body
from heat_app.web.pipeline import Pipeline
from heat_app.web.request import ApiRequest
from heat_core.rpc import RequestContext
from heat_io.fetching import TemplateFetcher
from heat_io.log_context import bind, caller_fields


class NativeApi(StagedApi):
    """Heat's native API."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        authenticator: Authenticator,
        settings: Settings,
        *,
        pipeline: Pipeline | None = None,
        new_request_id: Callable[[], str] = new_request_id,
    ) -> None:
        super().__init__(settings, pipeline=pipeline, new_request_id=new_request_id)
        self._dispatcher = dispatcher
        self._authenticator = authenticator

    async def operate(self, request: Request, api_request: ApiRequest) -> Answer:
        """Find out who asks, then do it."""
        context = await self._authenticate(api_request)
        if isinstance(context, Answer):
            return context
        found = self._dispatcher.find(api_request)
        if found is not None:
            api_request = await with_body(request, api_request)
        return await self._dispatcher.answer(api_request, found, context)

    def fault(self, error: Exception, api_request: ApiRequest) -> Answer:
        """The fault body of `error`."""
        return fault_answer(error, content_type=api_request.content_type, debug=self.settings.debug)

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
