"""All endpoints of the engine as one object, and as handlers for the bus."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from heat_app.engine.events import EventReads
from heat_app.engine.ports import Endpoint, Parts
from heat_app.engine.previews import Previews
from heat_app.engine.resources_read import ResourceReads
from heat_app.engine.resources_write import ResourceWrites
from heat_app.engine.service_reads import ServiceReads
from heat_app.engine.stack_actions import StackActions
from heat_app.engine.stacks_read import StackReads
from heat_app.engine.stacks_write import StackWrites
from heat_app.engine.types import TypeReads
from heat_app.engine.validation import Validation
from heat_core.errors import NotSupported
from heat_core.rpc import ENGINE_METHODS, Method, RequestContext
from heat_io.messaging import Delivery, Handler

NOUNS: tuple[type[Endpoint], ...] = (
    StackReads,
    StackWrites,
    StackActions,
    Previews,
    ResourceReads,
    ResourceWrites,
    EventReads,
    TypeReads,
    ServiceReads,
    Validation,
)


class EngineService:
    """Every RPC method that is built, found by its name in the contract (facts/rpc.json)."""

    def __init__(self, parts: Parts) -> None:
        nouns = [noun(parts) for noun in NOUNS]
        self._endpoints: dict[str, Callable[..., Awaitable[Any]]] = {
            method.name: getattr(noun, method.name)
            for method in ENGINE_METHODS
            for noun in nouns
            if hasattr(noun, method.name)
        }

    @property
    def built(self) -> frozenset[str]:
        """The names of the methods that are built."""
        return frozenset(self._endpoints)

    async def call(self, context: RequestContext, method: str, /, **arguments: Any) -> Any:
        """The method's result for arguments as on the wire.

        TypeError for arguments that the method does not have, NotSupported for a method that is
        not built, KeyError for one that the contract does not have.
        """
        accepted = ENGINE_METHODS[method].accept(arguments)
        endpoint = self._endpoints.get(method)
        if endpoint is None:
            raise NotSupported(feature=f"The operation {method}")
        return await endpoint(context, **accepted)

    def handlers(self) -> dict[str, Handler]:
        """A handler for every method of the contract."""
        return {method.name: self._handler(method) for method in ENGINE_METHODS}

    def _handler(self, method: Method) -> Handler:
        async def handle(delivery: Delivery) -> Any:
            return await self.call(delivery.context, method.name, **delivery.arguments)

        return handle
