from __future__ import annotations

from datetime import timedelta

import httpx2
import pytest
import trio
from fake_keystone import Answer, Asked, FakeKeystone
from trio.testing import MockClock, wait_all_tasks_blocked

from heat_io.openstack import NoToken, TokenInfo

LIFE = 86400.0


def pass_time(keystone: FakeKeystone, clock: MockClock, seconds: float) -> None:
    clock.jump(seconds)
    keystone.now += timedelta(seconds=seconds)


async def test_a_token_is_kept(cloud, keystone: FakeKeystone) -> None:
    first = await cloud.token("demo")
    assert await cloud.token("demo") is first
    assert (await cloud.token("admin")).token != first.token
    assert keystone.count("POST", "/v3/auth/tokens") == 2


async def test_a_hundred_who_need_it_make_one_request(cloud, keystone: FakeKeystone) -> None:
    gate = trio.Event()

    async def wait(_: Asked) -> None:
        await gate.wait()

    keystone.script("POST", "/v3/auth/tokens", wait)
    tokens: list[TokenInfo] = []

    async def get() -> None:
        tokens.append(await cloud.token("demo"))

    async with trio.open_nursery() as nursery:
        for _ in range(100):
            nursery.start_soon(get)
        await wait_all_tasks_blocked()
        gate.set()
    assert keystone.count("POST", "/v3/auth/tokens") == 1
    assert len({token.token for token in tokens}) == 1
    assert len(tokens) == 100


async def test_it_is_renewed_before_it_ends(
    cloud, keystone: FakeKeystone, mock_clock: MockClock
) -> None:
    first = await cloud.token("demo")
    pass_time(keystone, mock_clock, LIFE - 121)
    assert await cloud.token("demo") is first
    pass_time(keystone, mock_clock, 2)
    second = await cloud.token("demo")
    assert second.token != first.token
    assert second.expires_at > first.expires_at


async def test_a_short_life_is_used_for_its_better_part(
    cloud, keystone: FakeKeystone, mock_clock: MockClock
) -> None:
    keystone.lifetime_seconds = 60
    first = await cloud.token("demo")
    pass_time(keystone, mock_clock, 47)
    assert await cloud.token("demo") is first
    pass_time(keystone, mock_clock, 2)
    assert (await cloud.token("demo")).token != first.token


async def test_our_wall_clock_does_not_matter(
    cloud, keystone: FakeKeystone, mock_clock: MockClock
) -> None:
    keystone.now -= timedelta(days=300)
    first = await cloud.token("demo")
    assert await cloud.token("demo") is first


async def test_when_keystone_is_away_the_old_token_serves_to_its_end(
    cloud, keystone: FakeKeystone, autojump_clock: MockClock
) -> None:
    first = await cloud.token("demo")
    pass_time(keystone, autojump_clock, LIFE - 60)
    keystone.script("POST", "/v3/auth/tokens", *[httpx2.ConnectError("refused")] * 8)
    assert await cloud.token("demo") is first
    pass_time(keystone, autojump_clock, 61)
    with pytest.raises(NoToken) as failure:
        await cloud.token("demo")
    assert failure.value.refused is False


async def test_a_refusal_ends_the_old_token_too(
    cloud, keystone: FakeKeystone, mock_clock: MockClock
) -> None:
    await cloud.token("demo")
    keystone.users[keystone.user_id("demo")]["password"] = "changed"
    pass_time(keystone, mock_clock, LIFE - 60)
    for _ in range(2):
        with pytest.raises(NoToken) as failure:
            await cloud.token("demo")
        assert failure.value.refused is True


async def test_all_who_wait_share_a_failure(cloud, keystone: FakeKeystone) -> None:
    failures: list[str] = []

    async def get() -> None:
        with pytest.raises(NoToken) as failure:
            await cloud.token("nobody")
        failures.append(str(failure.value))

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(get)
    assert len(failures) == 5
    assert keystone.count("POST", "/v3/auth/tokens") == 1


async def test_an_invalid_token_is_replaced_once(cloud, keystone: FakeKeystone) -> None:
    tokens = cloud.openstack.tokens
    request = cloud.request("demo")
    first = await tokens.get(request)
    tokens.invalidate(request, first.token)
    second = await tokens.get(request)
    assert second.token != first.token
    tokens.invalidate(request, first.token)
    assert await tokens.get(request) is second, "who comes late takes nothing away"
    tokens.forget(request)
    assert (await tokens.get(request)).token != second.token
    tokens.invalidate(cloud.request("admin"), "never had")
    tokens.forget(cloud.request("admin"))


async def test_cancelling_the_one_who_asks_leaves_the_others_a_token(
    cloud, keystone: FakeKeystone
) -> None:
    gate = trio.Event()

    async def wait(_: Asked) -> None:
        await gate.wait()

    keystone.script("POST", "/v3/auth/tokens", wait)
    doomed = trio.CancelScope()
    tokens: list[TokenInfo] = []

    async def get(scope: trio.CancelScope) -> None:
        with scope:
            tokens.append(await cloud.token("demo"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(get, doomed)
        await wait_all_tasks_blocked()
        nursery.start_soon(get, trio.CancelScope())
        await wait_all_tasks_blocked()
        doomed.cancel()
    assert doomed.cancelled_caught
    assert len(tokens) == 1


async def test_the_memory_is_bounded(cloud, keystone: FakeKeystone) -> None:
    cloud.openstack.tokens._max_entries = 2
    await cloud.token("demo")
    await cloud.token("admin")
    await cloud.token("demo")  # used again: admin is the older one now
    await cloud.token("alt_demo")
    before = len(keystone.requests)
    await cloud.token("demo")
    assert len(keystone.requests) == before
    await cloud.token("admin")
    assert len(keystone.requests) == before + 1


async def test_an_answer_without_a_token_is_not_kept(cloud, keystone: FakeKeystone) -> None:
    keystone.script("POST", "/v3/auth/tokens", Answer(201, {}, {"x-subject-token": "t"}))
    with pytest.raises(NoToken, match="holds no token"):
        await cloud.token("demo")
    assert (await cloud.token("demo")).user_name == "demo"
