"""An API for a web server that somebody else runs.

The configuration is found as by the API's own command, or in the files and folders that
OS_HEAT_CONFIG_FILES and OS_HEAT_CONFIG_DIR name, with semicolons between them. Requests are served
by tasks of the server, which inherit nothing from the lifespan: the parts are handed to them by
hand. The API's own command ends more gently: see docs/deploy.md.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope

from heat_app.config import ConfigurationProblem, read_command_line
from heat_core.isolation import using
from heat_io.sandbox import Sandbox

if TYPE_CHECKING:
    from heat_app.web.start import Start

__all__ = ["LifespanApp", "application"]

type Opening = Callable[[Start], AbstractAsyncContextManager[Any]]
"""opens an API's application for a block"""


class LifespanApp:
    """An ASGI application that exists while the server's lifespan lasts.

    `opening` makes it at the start; a ConfigurationProblem there stops the server and says why.
    """

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        self._opening = opening
        self._app: Any = None
        self._sandbox: Sandbox | None = None

    async def __call__(
        self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Serve a request, or the lifespan."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app is None or self._sandbox is None:
            raise RuntimeError("the server has no lifespan: heat-trio needs one")
        else:
            with using(self._sandbox):
                await self._app(scope, receive, send)

    async def _live(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        await receive()
        async with AsyncExitStack() as stack:
            try:
                self._sandbox = stack.enter_context(Sandbox().installed())
                self._app = await stack.enter_async_context(self._opening())
            except ConfigurationProblem as problem:
                await send({"type": "lifespan.startup.failed", "message": str(problem)})
                return
            await send({"type": "lifespan.startup.complete"})
            await receive()
            self._app = None
        await send({"type": "lifespan.shutdown.complete"})


def application(program: str, opening: Callable[[], Opening]) -> LifespanApp:
    """The API of `program` (heat-api, heat-api-cfn), which `opening` gives once it is wanted."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Any]:
        from heat_app.process_logging import logging_as_configured
        from heat_app.web.start import Start

        configuration = read_command_line(_arguments(os.environ), program)
        start = Start.checked(configuration.settings, program)
        with logging_as_configured(configuration):
            start.pipeline.announce()
            async with opening()(start) as api:
                yield api

    return LifespanApp(opened)


def _arguments(environment: Mapping[str, str]) -> list[str]:
    """The command line that the API's own command would have had."""
    named = (
        ("--config-file", environment.get("OS_HEAT_CONFIG_FILES", "")),
        ("--config-dir", environment.get("OS_HEAT_CONFIG_DIR", "")),
    )
    return [f"{option}={path}" for option, paths in named for path in paths.split(";") if path]
