"""The CloudFormation-compatible API as an application: signature, action, inside of the stages that
it shares with the native API (heat_app.web.app).

No action is built yet, and nobody's signature is checked for them: what is signed, and asks for an
action that Heat has, is told that it is not available.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from quart.wrappers import Request

from heat_app.cfn.errors import (
    ActionNotAvailable,
    CfnError,
    InternalFailure,
    InvalidQueryParameter,
    RequestLimitExceeded,
    error_answer,
)
from heat_app.cfn.handlers import HANDLERS, Call, Handler
from heat_app.cfn.routes import action_of, find
from heat_app.cfn.signature import check_is_signed
from heat_app.config import Settings
from heat_app.web.answers import Answer, plain_answer
from heat_app.web.app import StagedApi, new_request_id, with_body
from heat_app.web.parameters import Parameters
from heat_app.web.pipeline import Pipeline
from heat_app.web.request import ApiRequest

__all__ = ["CfnApi"]


class CfnApi(StagedApi):
    """The API; `handlers` by the names of their actions."""

    def __init__(
        self,
        settings: Settings,
        *,
        pipeline: Pipeline | None = None,
        handlers: Mapping[str, Handler] = HANDLERS,
        new_request_id: Callable[[], str] = new_request_id,
    ) -> None:
        super().__init__(settings, pipeline=pipeline, new_request_id=new_request_id)
        self._handlers = handlers

    async def operate(self, request: Request, api_request: ApiRequest) -> Answer:
        """Look at the signature, before the path as the original does, then do the action."""
        api_request = await with_body(request, api_request)
        limit = self.settings.max_json_body_size
        if api_request.body_size > limit:
            raise RequestLimitExceeded(
                f"Body size ({api_request.body_size} bytes) exceeds maximum allowed size "
                f"({limit} bytes)."
            )
        parameters = _parameters(api_request)
        check_is_signed(api_request, parameters)
        found = find(api_request.method, api_request.path)
        if found is None:
            return plain_answer(404, api_request.method, api_request.accept)
        action = action_of(found, parameters)
        handler = self._handlers.get(action)
        if handler is None:
            raise ActionNotAvailable(action)
        return await handler(
            Call(action=action, request=api_request, parameters=parameters, settings=self.settings)
        )

    def fault(self, error: Exception, api_request: ApiRequest) -> Answer:
        """The error as XML; what is none of the API's own is our fault, without a word on it."""
        return error_answer(error if isinstance(error, CfnError) else InternalFailure())


def _parameters(request: ApiRequest) -> Parameters:
    try:
        return request.parameters()
    except UnicodeDecodeError:
        raise InvalidQueryParameter from None
