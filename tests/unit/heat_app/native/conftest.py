"""The native API with a scripted engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import trio

from heat_app.config import PolicySettings, Settings
from heat_app.native.app import NativeApi
from heat_app.native.dispatch import Dispatcher
from heat_app.native.routes import NOT_YET
from heat_app.policy import Policy
from heat_app.web.pipeline import Pipeline
from heat_core.errors import URLFetchError
from heat_core.rpc import RequestContext
from heat_core.rpc.contract import ENGINE_METHODS
from heat_io.fetching.fetcher import check_scheme
from heat_io.openstack.refusal import Refusal, unauthorized
from tests.asgi import Driven

MEMBER = RequestContext(
    user_id="UID", username="demo", project_id="PID", roles=("member", "reader"), auth_token="t"
)
REQUEST_ID = "req-00000000-0000-4000-8000-000000000000"
KEYSTONE = "http://keystone.example:5000"


@dataclass(slots=True)
class ScriptedEngine:
    """Answers each method with a value, an exception to raise, or what a function gives."""

    script: Mapping[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    contexts: list[RequestContext] = field(default_factory=list)

    async def call(self, context: RequestContext, method: str, /, **arguments: Any) -> Any:
        # The contract decides which arguments there are, here as on the bus.
        self.calls.append((method, ENGINE_METHODS[method].request(**arguments)))
        self.contexts.append(context)
        await trio.lowlevel.checkpoint()
        answer = self.script[method]
        if isinstance(answer, BaseException):
            raise answer
        return answer(**arguments) if callable(answer) else answer


@dataclass(slots=True)
class TokenTable:
    """Knows who each token is."""

    contexts: Mapping[str, RequestContext]

    async def authenticate(
        self,
        headers: Mapping[str, str],
        *,
        method: str,
        path: str,
        request_id: str | None,
        global_request_id: str | None,
    ) -> RequestContext | Refusal:
        await trio.lowlevel.checkpoint()
        context = self.contexts.get(headers.get("X-Auth-Token") or "")
        if context is None:
            return unauthorized(KEYSTONE)
        return replace(context, request_id=request_id, global_request_id=global_request_id)


@dataclass(slots=True)
class Pages:
    """A web of these pages."""

    pages: Mapping[str, bytes]

    async def fetch(self, url: str) -> bytes:
        check_scheme(url)
        await trio.lowlevel.checkpoint()
        if url not in self.pages:
            raise URLFetchError(f"Failed to retrieve template from {url}")
        return self.pages[url]


@dataclass(slots=True)
class Api(Driven):
    """The application under test."""

    app: NativeApi
    engine: ScriptedEngine


type MakeApi = Callable[..., Api]


@pytest.fixture(scope="session")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    folder: Path = tmp_path_factory.mktemp("policy")
    section = PolicySettings(policy_file=str(folder / "policy.yaml"), policy_dirs=())
    return Policy.from_settings(Settings(oslo_policy=section))


@pytest.fixture
def make_api(policy: Policy) -> MakeApi:
    """Builds an application.

    script=, contexts= by token, settings=, not_yet=, headers=, pages= by URL.
    """

    def make(
        script: Mapping[str, Any] | None = None,
        *,
        contexts: Mapping[str, RequestContext] | None = None,
        settings: Settings | None = None,
        not_yet: frozenset[str] = NOT_YET,
        pipeline: Pipeline | None = None,
        headers: Mapping[str, str] | None = None,
        pages: Mapping[str, bytes] | None = None,
    ) -> Api:
        engine = ScriptedEngine({} if script is None else script)
        chosen = settings or Settings()
        dispatcher = Dispatcher(
            engine=engine,
            policy=policy,
            settings=chosen,
            fetcher=Pages(pages or {}),
            not_yet=not_yet,
        )
        app = NativeApi(
            dispatcher,
            TokenTable(contexts or {"t": MEMBER}),
            chosen,
            pipeline=pipeline,
            new_request_id=lambda: REQUEST_ID,
        )
        default = {"Host": "api.example:8004", "X-Auth-Token": "t"} if headers is None else headers
        return Api(app, default, engine)

    return make
