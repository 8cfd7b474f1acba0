"""Steps procedures with scripted answers, no event loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest

from heat_core.procedure import (
    All,
    Entropy,
    Finished,
    HttpAnswer,
    HttpCall,
    ProcedureIO,
    ProcedureRun,
    Request,
    ServiceError,
)
from heat_core.resources import ResourceView


def refusal(status: int, error_class: str, service: str = "identity") -> ServiceError:
    """A service's refusal."""
    return ServiceError(
        service, status, "text", error_class=error_class, text=f"text (HTTP {status})"
    )


@dataclass
class Script:
    """Runs a procedure: HTTP requests take the scripted answers in order, entropy counts up.

    An answer is a body (status 200), an HttpAnswer, or an exception to throw. A request that stays
    without an answer fails the test, and so does an answer that nobody asked for.
    """

    io: ProcedureIO = field(default_factory=ProcedureIO)
    asked: list[Request] = field(default_factory=list)

    def run(self, procedure: Coroutine[Any, Any, Any], *answers: Any) -> Any:
        left = list(answers)
        value = self._step(procedure, left)
        assert not left, f"nobody asked for {left}"
        return value

    def _step(self, procedure: Coroutine[Any, Any, Any], answers: list[Any]) -> Any:
        run = ProcedureRun(procedure)
        state = run.start()
        while not isinstance(state, Finished):
            if isinstance(state, All):
                results = tuple(self._step(branch, answers) for branch in state.branches)
                state = run.answer(results)
                continue
            self.asked.append(state)
            answer = self._answer(state, answers)
            state = run.throw(answer) if isinstance(answer, Exception) else run.answer(answer)
        return state.value

    def _answer(self, request: Request, answers: list[Any]) -> Any:
        if isinstance(request, Entropy):
            return bytes(index % 251 for index in range(request.size))
        if not isinstance(request, HttpCall):
            return None
        assert answers, f"no answer for {request}"
        answer = answers.pop(0)
        if isinstance(answer, HttpAnswer | Exception):
            return answer
        return HttpAnswer(200, answer)

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Method and path, with its query, of every HTTP request."""
        return [
            (request.method, request.path + _query_text(request))
            for request in self.asked
            if isinstance(request, HttpCall)
        ]


def _query_text(request: HttpCall) -> str:
    pairs = "&".join(f"{name}={value}" for name, value in request.query)
    return f"?{pairs}" if pairs else ""


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def refuse() -> Callable[..., ServiceError]:
    return refusal


@pytest.fixture
def view() -> Callable[..., ResourceView]:
    """Makes views of a resource "r" of stack "st"."""

    def make(**fields: Any) -> ResourceView:
        known = {
            "name": "r",
            "uuid": "7f3c1c52-6a54-4b43-8c42-5f1b7c1f8e11",
            "stack_name": "st",
            "stack_id": "stack-1",
            "physical_name": "st-r-abc",
        }
        return ResourceView(**{**known, **fields})

    return make
