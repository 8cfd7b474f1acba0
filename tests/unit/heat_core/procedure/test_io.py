"""What a resource type awaits on: each method asks one thing and checks its answer."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import pytest

from heat_core.isolation import Postponed
from heat_core.procedure import (
    All,
    ChildState,
    CreateChild,
    Datum,
    Entropy,
    Evaluate,
    FindChild,
    Finished,
    HttpAnswer,
    HttpCall,
    LookAtChild,
    Pause,
    ProcedureIO,
    ProcedureRun,
    Request,
    Sleep,
    StoreCreated,
    StoreData,
    SurveyChild,
)

IO = ProcedureIO()


def asked(procedure: Coroutine[Any, Any, Any], answer: Any = None) -> tuple[Request, Any]:
    """The one request of a procedure, and what it makes of the answer."""
    run = ProcedureRun(procedure)
    request = run.start()
    assert not isinstance(request, Finished)
    end = run.answer(answer)
    assert isinstance(end, Finished)
    return request, end.value


def get() -> Coroutine[Any, Any, Any]:
    return IO.get("compute", "/servers", {"name": "a", "limit": "1"})


@pytest.mark.parametrize(
    ("procedure", "call"),
    [
        (IO.get("s", "/p"), HttpCall("GET", "s", "/p")),
        (IO.post("s", "/p", {"a": 1}), HttpCall("POST", "s", "/p", {"a": 1})),
        (IO.put("s", "/p", {"a": 1}), HttpCall("PUT", "s", "/p", {"a": 1})),
        (IO.patch("s", "/p", {"a": 1}), HttpCall("PATCH", "s", "/p", {"a": 1})),
        (IO.delete("s", "/p"), HttpCall("DELETE", "s", "/p")),
    ],
    ids=["get", "post", "put", "patch", "delete"],
)
def test_the_http_methods_give_the_body(
    procedure: Coroutine[Any, Any, Any], call: HttpCall
) -> None:
    assert asked(procedure, HttpAnswer(200, {"b": 2})) == (call, {"b": 2})


def test_a_query_keeps_its_order() -> None:
    request, _ = asked(get(), HttpAnswer(200))
    assert isinstance(request, HttpCall)
    assert request.query == (("name", "a"), ("limit", "1"))


def test_a_whole_answer_on_request() -> None:
    answer = HttpAnswer(404, None, {"x": "y"})
    call = HttpCall("GET", "s", "/p", expect=frozenset({404}))
    assert asked(IO.request(call), answer) == (call, answer)


def test_another_answer_is_a_bug_of_the_driver() -> None:
    run = ProcedureRun(get())
    run.start()
    with pytest.raises(AssertionError, match="answered GET with None"):
        run.answer(None)


def test_stores() -> None:
    datum = Datum("k", "v", redact=True)
    assert asked(IO.created("id", [datum]))[0] == StoreCreated("id", (datum,))
    assert asked(IO.created("id"))[0] == StoreCreated("id")
    assert asked(IO.store(datum, Datum("gone", None)))[0] == StoreData((datum, Datum("gone", None)))


def test_waits() -> None:
    assert asked(IO.sleep(3))[0] == Sleep(3)


def test_entropy_is_checked() -> None:
    assert asked(IO.entropy(2), b"ab") == (Entropy(2), b"ab")
    for wrong in (b"abc", "ab"):
        run = ProcedureRun(IO.entropy(2))
        run.start()
        with pytest.raises(AssertionError, match="2 bytes"):
            run.answer(wrong)


def test_a_poll_looks_first_and_pauses_only_in_between() -> None:
    async def look(io: ProcedureIO) -> str:
        answer = await io.get("compute", "/servers/1")
        status: str = answer["status"]
        return status

    run = ProcedureRun(
        IO.poll(look, until=lambda status: status == "UP", service="compute", hint_seconds=4)
    )
    step = run.start()
    for attempt in range(3):
        assert step == HttpCall("GET", "compute", "/servers/1")
        step = run.answer(HttpAnswer(200, {"status": "BUILD"}))
        assert step == Pause("compute", attempt, 4)
        step = run.answer(None)
    assert run.answer(HttpAnswer(200, {"status": "UP"})) == Finished("UP")


def test_harmless_work_is_done_at_once() -> None:
    assert ProcedureRun(IO.evaluate(lambda: 7)).start() == Finished(7)


def test_work_that_meets_something_hostile_is_left_to_the_driver() -> None:
    def work() -> int:
        raise Postponed

    assert asked(IO.evaluate(work), 8) == (Evaluate(work), 8)


def test_a_nested_stack_is_made_and_looked_at() -> None:
    assert asked(IO.create_child({"k": 1}), "child-1") == (CreateChild({"k": 1}), "child-1")
    assert asked(IO.create_child(), "child-1")[0] == CreateChild(None)
    assert asked(IO.survey_child("child-1"), "around") == (SurveyChild("child-1"), "around")
    assert asked(IO.child(FindChild()), None) == (FindChild(), None)
    state = ChildState("CREATE", "COMPLETE", "why")
    assert asked(IO.look_at_child("child-1"), state) == (LookAtChild("child-1"), state)
    assert asked(IO.look_at_child("child-1"), None)[1] is None


def test_another_look_at_a_nested_stack_is_a_bug_of_the_driver() -> None:
    run = ProcedureRun(IO.look_at_child("child-1"))
    run.start()
    with pytest.raises(AssertionError, match="a look at a child"):
        run.answer("CREATE")


def test_branches_are_run_by_the_driver() -> None:
    branches = [IO.sleep(1), IO.sleep(2)]
    request, value = asked(IO.all(branches), ["a", "b"])
    assert isinstance(request, All)
    assert request.branches == tuple(branches)
    assert value == ("a", "b")
    for branch in branches:
        branch.close()
