"""Fields bound around code reach the tasks started inside, and nobody else."""

import trio

from heat_core.rpc import RequestContext
from heat_io.log_context import bind, bound, caller_fields, current_fields


def test_nothing_is_bound_at_first() -> None:
    assert dict(current_fields()) == {}


def test_inner_values_win_and_go_away_again() -> None:
    with bound(request_id="req-1", stack_id="s"):
        with bound(stack_id="t", step_id="n"):
            assert dict(current_fields()) == {
                "request_id": "req-1",
                "stack_id": "t",
                "step_id": "n",
            }
        assert dict(current_fields()) == {"request_id": "req-1", "stack_id": "s"}
    assert dict(current_fields()) == {}


def test_none_takes_a_field_away() -> None:
    with bound(step_id="n"), bound(step_id=None):
        assert dict(current_fields()) == {}


def test_fields_go_away_after_an_error() -> None:
    try:
        with bound(step_id="n"):
            raise ValueError
    except ValueError:
        assert dict(current_fields()) == {}


async def test_children_inherit_and_siblings_do_not_mix() -> None:
    seen: dict[str, dict[str, object]] = {}

    async def child(name: str) -> None:
        bind(step_id=name)
        await trio.lowlevel.checkpoint()
        seen[name] = dict(current_fields())

    with bound(request_id="req-1"):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(child, "a")
            nursery.start_soon(child, "b")
    assert seen == {
        "a": {"request_id": "req-1", "step_id": "a"},
        "b": {"request_id": "req-1", "step_id": "b"},
    }
    assert dict(current_fields()) == {}


def test_who_asks() -> None:
    context = RequestContext(request_id="r", user_id="u", project_id="p", auth_token="hush")
    with bound(**caller_fields(context)):
        assert current_fields() == {"request_id": "r", "user_id": "u", "project_id": "p"}
