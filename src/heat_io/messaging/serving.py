"""What every transport's server does with a request once it has one.

Duplicates are dropped, methods and versions are looked up, calls are answered, and a handler's
error becomes a failure on the bus (for a call) or a log record (for a cast).
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from heat_core.errors import HeatException
from heat_core.rpc import (
    Failure,
    MessagingError,
    NoSuchMethod,
    Reply,
    Request,
    RequestContext,
    UnsupportedVersion,
    seal,
    version_accepts,
)
from heat_io.log_context import bound, caller_fields
from heat_io.messaging.bus import Handler

log = logging.getLogger(__name__)


class RecentIds:
    """Remembers the unique ids of the last messages: brokers deliver some of them twice."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._ids: OrderedDict[str, None] = OrderedDict()

    def seen(self, unique_id: str) -> bool:
        """Whether the id has been here before; remembers it. Messages without one are all new."""
        if not unique_id:
            return False
        if unique_id in self._ids:
            return True
        self._ids[unique_id] = None
        while len(self._ids) > self._size:
            self._ids.popitem(last=False)
        return False


class ReceivedRequest:
    """A Delivery over a transport's way to acknowledge; acknowledging twice does nothing."""

    def __init__(self, request: Request, acknowledge: Callable[[], Awaitable[None]]) -> None:
        self._request = request
        self._acknowledge = acknowledge
        self.acknowledged = False

    @property
    def method(self) -> str:
        return self._request.method

    @property
    def arguments(self) -> Mapping[str, Any]:
        return self._request.arguments

    @property
    def context(self) -> RequestContext:
        return self._request.context

    @property
    def unique_id(self) -> str:
        return self._request.unique_id

    async def acknowledge(self) -> None:
        if not self.acknowledged:
            self.acknowledged = True
            await self._acknowledge()


def find_handler(request: Request, version: str, handlers: Mapping[str, Handler]) -> Handler:
    """The handler of a request; NoSuchMethod or UnsupportedVersion when there is none."""
    if not version_accepts(version, request.version):
        raise UnsupportedVersion(request.version, request.method)
    handler = handlers.get(request.method)
    if handler is None or request.method.startswith("_"):
        raise NoSuchMethod(request.method)
    return handler


async def answer_call(
    delivery: ReceivedRequest, request: Request, handler_of: Callable[[Request], Handler], id_: str
) -> str:
    """Handle a call and return the sealed reply, whose unique id is `id_`.

    The call is acknowledged first, so that it runs at most once. A result that cannot cross the
    bus is a failure like any other.
    """
    await delivery.acknowledge()
    assert request.message_id is not None, "only a call is answered"
    try:
        with bound(rpc_method=request.method, **caller_fields(request.context)):
            result = await handler_of(request)(delivery)
        reply = Reply(message_id=request.message_id, unique_id=id_, result=result)
        return seal(reply.to_payload())
    except Exception as error:
        _report(error, request)
        failure = Failure.of(error)
        reply = Reply(message_id=request.message_id, unique_id=id_, failure=failure)
        return seal(reply.to_payload())


async def handle_cast(
    delivery: ReceivedRequest, request: Request, handler_of: Callable[[Request], Handler]
) -> None:
    """Handle a cast; acknowledged at the end when its handler has not done so."""
    try:
        with bound(rpc_method=request.method, **caller_fields(request.context)):
            await handler_of(request)(delivery)
    except Exception as error:
        _report(error, request)
    await delivery.acknowledge()


def _report(error: Exception, request: Request) -> None:
    if isinstance(error, HeatException) and request.is_call:
        return  # the caller's own fault, and the caller is told
    fields = {"rpc_method": request.method, "error": type(error).__name__}
    if isinstance(error, MessagingError):
        log.warning("message could not be handled", extra={"fields": fields})
    else:
        log.error("message handler failed", extra={"fields": fields}, exc_info=error)
