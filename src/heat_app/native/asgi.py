"""The native API for a web server that somebody else runs:

    hypercorn --worker-class trio heat_app.native.asgi:app

The configuration is found as by `heat-api`, or in the files and folders that OS_HEAT_CONFIG_FILES
and OS_HEAT_CONFIG_DIR name, with semicolons between them. Requests are served by tasks of the
server, which inherit nothing from the lifespan: the parts are handed to them by hand. `heat-api`
ends more gently: see docs/deploy.md.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope

from heat_app.config import ConfigurationProblem, read_command_line
from heat_core.isolation import using
from heat_io.sandbox import Sandbox

__all__ = ["LifespanApp", "app"]

log = logging.getLogger(__name__)

PROGRAM = "heat-api"

type Opening = Callable[[], AbstractAsyncContextManager[Any]]


class LifespanApp:
    """An ASGI application that exists while the server's lifespan lasts.

    `opening` makes it at the start; a ConfigurationProblem there stops the server and says why.
    """

    def __init__(self, opening: Opening) -> None:
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


@asynccontextmanager
async def _native_api() -> AsyncIterator[Any]:
    from heat_app.native.assembly import Start, native_api
    from heat_app.process_logging import logging_as_configured

    configuration = read_command_line(_arguments(os.environ), PROGRAM)
    start = Start.checked(configuration.settings, PROGRAM)
    with logging_as_configured(configuration):
        start.pipeline.announce()
        async with native_api(start) as api:
            yield api


def _arguments(environment: Mapping[str, str]) -> list[str]:
    """The command line that `heat-api` would have had."""
    named = (
        ("--config-file", environment.get("OS_HEAT_CONFIG_FILES", "")),
        ("--config-dir", environment.get("OS_HEAT_CONFIG_DIR", "")),
    )
    return [f"{option}={path}" for option, paths in named for path in paths.split(";") if path]


app = LifespanApp(_native_api)
