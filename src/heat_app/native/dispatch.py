"""From an authenticated request to the answer of its handler."""

from __future__ import annotations

from dataclasses import dataclass, field

from heat_app.config import Settings
from heat_app.native.body import json_body
from heat_app.native.call import Call
from heat_app.native.faults import HTTPMethodNotAllowed, malformed
from heat_app.native.handlers import HANDLERS, OWN_AUTHORIZATION
from heat_app.native.ports import Engine, Fetcher, Policy
from heat_app.native.routes import GROUPS, NOT_YET
from heat_app.web.answers import Answer, no_content, plain_answer
from heat_app.web.parameters import Parameters
from heat_app.web.request import ApiRequest
from heat_app.web.routing import Body, Found, Refused, Router
from heat_core.rpc import RequestContext
from heat_io.fetching import TemplateFetcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatcher:
    """Finds the route, reads the body, checks project and policy, runs the handler."""

    engine: Engine
    policy: Policy
    settings: Settings
    fetcher: Fetcher = field(default_factory=TemplateFetcher)
    router: Router = field(default_factory=lambda: Router(GROUPS))
    not_yet: frozenset[str] = NOT_YET

    def find(self, request: ApiRequest) -> Found | Refused | None:
        """What the request asks for. The body need not be there yet."""
        return self.router.match(_method(request), request.path)

    async def answer(
        self, request: ApiRequest, found: Found | Refused | None, context: RequestContext
    ) -> Answer:
        """The answer. Raises what faults describe."""
        if found is None:
            return plain_answer(404, request.method, request.accept)
        parameters = request.parameters()
        body = json_body(request, parameters, limit=self.settings.max_json_body_size)
        if isinstance(found, Refused):
            return _refused(found)
        call = Call(
            request=request,
            context=context,
            parameters=parameters,
            variables=found.variables,
            body=body,
            policy=self.policy,
            settings=self.settings,
            _engine=self.engine,
            _fetcher=self.fetcher,
        )
        try:
            return await self._run(call, found)
        except TypeError as error:
            # Of a handler or of an engine: both are taken for a request that fits no signature
            # (rules/f-redirects.md#17, #24).
            raise malformed() from error

    async def _run(self, call: Call, found: Found) -> Answer:
        route = found.route
        if route.action not in OWN_AUTHORIZATION:
            call.check_project()
            call.authorize(route.action)
        if route.name in self.not_yet:
            return plain_answer(404, call.request.method, call.request.accept)
        if (route.body is Body.REQUIRED and call.body is None) or (
            route.body is Body.NONE and call.body is not None
        ):
            raise malformed()
        return await HANDLERS[route.action](call)


def _refused(refused: Refused) -> Answer:
    if refused.is_options:
        return no_content().with_header("Allow", refused.allowed)
    raise HTTPMethodNotAllowed


def _method(request: ApiRequest) -> str:
    """The method to route by: `_method` in the query overrides the real one."""
    if b"_method" not in request.query:
        return request.method
    try:
        given = Parameters.parse(request.query).get("_method")
    except UnicodeDecodeError:
        return request.method
    return given.upper() if given else request.method
