from __future__ import annotations

import re
from typing import Any

import pytest
import trio

from heat_core.rpc import CallTimeout, RequestContext
from heat_io.messaging import Cast, Delivery, Target
from tests.broker import Gate, VirtualHost

_CONTEXT = RequestContext()


async def _nothing(delivery: Delivery) -> int:
    return 1


async def test_what_is_on_the_broker_is_what_heat_has_there(
    place: VirtualHost, open_direct: Any, serving: Any, topic: str
) -> None:
    """And what of it is ours alone is gone at the end."""
    async with open_direct() as bus, serving(bus, topic, "host", {"m": _nothing}):
        await bus.call(Target(topic), "m", {}, _CONTEXT)
        queues = await trio.to_thread.run_sync(place.queues)
        exchanges = await trio.to_thread.run_sync(place.exchanges)
        bindings = await trio.to_thread.run_sync(place.bindings)
    left = await trio.to_thread.run_sync(place.queues)

    def named(names: Any) -> dict[str, Any]:
        hidden = {re.sub(r"[0-9a-f]{32}$", "<id>", name): value for name, value in names.items()}
        return {
            name: value
            for name, value in hidden.items()
            if name.startswith(topic) or name == "reply_<id>"
        }

    transient = '[{"x-expires",1800000}]'
    assert named(queues) == {
        topic: (False, False, "[]", 0),
        f"{topic}.host": (False, False, "[]", 0),
        f"{topic}_fanout_<id>": (False, False, transient, 0),
        "reply_<id>": (False, False, transient, 0),
    }
    assert exchanges["heat"] == ("topic", False, False)
    assert exchanges[f"{topic}_fanout"] == ("fanout", False, True)
    assert {("heat", topic, topic), ("heat", f"{topic}.host", f"{topic}.host")} <= bindings
    assert {
        re.sub(r"[0-9a-f]{32}$", "", queue)
        for exchange, queue, key in bindings
        if exchange == f"{topic}_fanout" and key == topic
    } == {f"{topic}_fanout_"}
    assert set(named(left)) == {topic, f"{topic}.host"}


async def test_a_monitored_call_ends_with_its_servers_silence(open_direct: Any, topic: str) -> None:
    async with open_direct() as bus:
        with pytest.raises(CallTimeout):
            await bus.call(Target(topic, "gone"), "m", {}, _CONTEXT, monitor_seconds=0.1)


async def test_a_call_keeps_its_time_when_there_is_no_broker(gated: Any, topic: str) -> None:
    async with gated() as (bus, gate):
        gate.refusing = True
        gate.cut()
        start = trio.current_time()
        with pytest.raises(CallTimeout):
            await bus.call(Target(topic), "m", {}, _CONTEXT, timeout_seconds=0.3)
        assert trio.current_time() - start < 5


async def test_a_call_keeps_its_time_when_the_broker_does_not_answer(
    gated: Any, serving: Any, topic: str
) -> None:
    async with (
        gated(confirm_seconds=100.0) as (bus, gate),
        serving(bus, topic, "s", {"m": _nothing}),
    ):
        await bus.call(Target(topic), "m", {}, _CONTEXT)
        gate.freeze()
        start = trio.current_time()
        with pytest.raises(CallTimeout):
            await bus.call(Target(topic), "m", {}, _CONTEXT, timeout_seconds=0.3)
        assert trio.current_time() - start < 5
        gate.cut()
        gate.thaw()
        assert await bus.call(Target(topic), "m", {}, _CONTEXT) == 1


async def test_opening_does_not_wait_for_a_broker(place: VirtualHost, open_direct: Any) -> None:
    gate = Gate(place.address)
    async with trio.open_nursery() as nursery:
        await nursery.start(gate.run)
        gate.refusing = True
        async with open_direct(addresses=(gate.address,)) as bus:
            assert not bus.is_up
            with trio.move_on_after(0.1) as scope:
                await bus.cast(Cast(Target("t"), "m", {}, _CONTEXT))
            assert scope.cancelled_caught
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("options", [{"durable": True}, {"quorum": True}, {"prefetch": 1}])
async def test_other_kinds_of_queues(
    open_direct: Any, serving: Any, seen: Any, topic: str, options: Any
) -> None:
    async def note(delivery: Delivery) -> int:
        seen.append(delivery.arguments)
        return 1

    async with (
        open_direct(control_exchange=f"x_{topic}", **options) as bus,
        serving(bus, topic, "s", {"note": note}),
    ):
        assert await bus.call(Target(topic), "note", {"n": 0}, _CONTEXT) == 1
        await bus.cast_many(
            [Cast(Target(topic, "s"), "note", {"n": n}, _CONTEXT) for n in range(1, 10)]
        )
        await bus.cast(Cast(Target(topic, fanout=True), "note", {"n": 10}, _CONTEXT))
        await seen.until(11)
    assert sorted(one["n"] for one in seen) == list(range(11))


async def test_every_cancellation_leaves_the_bus_in_order(
    open_direct: Any, serving: Any, topic: str
) -> None:
    """Many callers give up at the same time; nothing is left of them."""
    async with open_direct() as bus, serving(bus, topic, "s", {"m": _nothing}):
        await bus.call(Target(topic), "m", {}, _CONTEXT)
        for _ in range(3):
            async with trio.open_nursery() as nursery:
                for _ in range(30):
                    nursery.start_soon(bus.call, Target(topic), "m", {}, _CONTEXT)
                await trio.sleep(0.02)
                nursery.cancel_scope.cancel()
        assert bus._box._waiters == {}
        assert await bus.call(Target(topic), "m", {}, _CONTEXT) == 1
