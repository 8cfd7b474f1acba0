"""The one object that a resource type awaits on."""

from __future__ import annotations

import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Mapping
from typing import Any

from heat_core.isolation import Postponed, inline
from heat_core.procedure.requests import (
    All,
    ChildRequest,
    ChildState,
    CreateChild,
    Datum,
    Entropy,
    Evaluate,
    HttpAnswer,
    HttpCall,
    LookAtChild,
    Pause,
    Request,
    Sleep,
    StoreCreated,
    StoreData,
    SurveyChild,
)


@types.coroutine
def _ask(request: Request) -> Generator[Request, Any, Any]:
    return (yield request)


class ProcedureIO:
    """Builds requests and hands them to the driver. Stateless: one instance serves all.

    The HTTP methods return the decoded body of a successful answer and raise ServiceError for any
    other; `request` gives the whole answer.
    """

    __slots__ = ()

    async def request(self, call: HttpCall) -> HttpAnswer:
        answer = await _ask(call)
        if not isinstance(answer, HttpAnswer):
            raise AssertionError(f"the driver answered {call.method} with {answer!r}")
        return answer

    async def get(self, service: str, path: str, query: Mapping[str, str] | None = None) -> Any:
        return (await self.request(HttpCall("GET", service, path, query=_pairs(query)))).body

    async def post(self, service: str, path: str, body: Any = None) -> Any:
        return (await self.request(HttpCall("POST", service, path, body))).body

    async def put(self, service: str, path: str, body: Any = None) -> Any:
        return (await self.request(HttpCall("PUT", service, path, body))).body

    async def patch(self, service: str, path: str, body: Any = None) -> Any:
        return (await self.request(HttpCall("PATCH", service, path, body))).body

    async def delete(self, service: str, path: str) -> Any:
        return (await self.request(HttpCall("DELETE", service, path))).body

    async def created(self, physical_id: str, data: Iterable[Datum] = ()) -> None:
        """Make the new object's id durable; await it right after the request that made it."""
        await _ask(StoreCreated(physical_id, tuple(data)))

    async def store(self, *data: Datum) -> None:
        """Write or remove rows of resource_data."""
        await _ask(StoreData(data))

    async def sleep(self, seconds: float) -> None:
        await _ask(Sleep(seconds))

    async def entropy(self, size: int) -> bytes:
        answer = await _ask(Entropy(size))
        if not isinstance(answer, bytes) or len(answer) != size:
            raise AssertionError(f"the driver answered a request for {size} bytes with {answer!r}")
        return answer

    async def child(self, request: ChildRequest) -> Any:
        """Something about the resource's nested stack; see the requests for the answers."""
        return await _ask(request)

    async def create_child(self, document: Mapping[str, Any] | None = None) -> str:
        """Make the resource's nested stack, of what the type says or of this; its id."""
        return str(await _ask(CreateChild(document)))

    async def survey_child(self, child_id: str | None = None) -> Any:
        """The Surroundings that the nested stack is to be made from."""
        return await _ask(SurveyChild(child_id))

    async def look_at_child(self, child_id: str) -> ChildState | None:
        """How far the nested stack is; None when it is gone."""
        answer = await _ask(LookAtChild(child_id))
        if answer is not None and not isinstance(answer, ChildState):
            raise AssertionError(f"the driver answered a look at a child with {answer!r}")
        return answer

    async def poll[T](
        self,
        look: Callable[[ProcedureIO], Awaitable[T]],
        until: Callable[[T], bool],
        *,
        service: str | None = None,
        hint_seconds: float | None = None,
    ) -> T:
        """Look again and again until the answer satisfies `until`; return that answer."""
        attempt = 0
        while not until(seen := await look(self)):
            await _ask(Pause(service, attempt, hint_seconds))
            attempt += 1
        return seen

    async def evaluate[T](self, work: Callable[[], T]) -> T:
        """`work()`: here, or by the driver once it turns out to meet hostile work.

        For pure evaluations of what users wrote (heat_core.isolation).
        """
        try:
            return inline(work)
        except Postponed:
            answer: T = await _ask(Evaluate(work))
            return answer

    async def all(self, branches: Iterable[Coroutine[Any, Any, Any]]) -> tuple[Any, ...]:
        answer = await _ask(All(tuple(branches)))
        return tuple(answer)


def _pairs(query: Mapping[str, str] | None) -> tuple[tuple[str, str], ...]:
    return tuple(query.items()) if query else ()
