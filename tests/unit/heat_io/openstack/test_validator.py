from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import httpx2
import pytest
import trio
from fake_keystone import BASE, Answer, Asked, FakeKeystone, catalog_of
from trio.testing import MockClock, wait_all_tasks_blocked

from heat_io.openstack import Refused, TokenInfo, TokenValidator, Unavailable, ValidatorSettings

type Make = Callable[..., TokenValidator]


@pytest.fixture
def make(cloud, keystone: FakeKeystone) -> Make:
    def validator(**settings: object) -> TokenValidator:
        return TokenValidator(
            cloud.openstack.validator._identity,
            cloud.openstack.tokens,
            cloud.request("heat", "service"),
            ValidatorSettings(**settings),  # type: ignore[arg-type] - the test names options
            wall_clock=lambda: keystone.now,
        )

    return validator


def checks(keystone: FakeKeystone) -> int:
    return keystone.count("GET", "/v3/auth/tokens")


async def test_a_good_token_is_asked_about_once(cloud, keystone: FakeKeystone, make: Make) -> None:
    validator, user = make(), await cloud.token("demo")
    first = await validator.validate(user.token)
    assert isinstance(first, TokenInfo)
    assert (first.user_name, first.role_names) == ("demo", ("member", "reader"))
    assert await validator.validate(f" {user.token}\t") is first
    assert checks(keystone) == 1


async def test_a_hundred_requests_with_one_token_ask_once(
    cloud, keystone: FakeKeystone, make: Make
) -> None:
    validator, user = make(), await cloud.token("demo")
    gate = trio.Event()
    outcomes: list[object] = []

    async def wait(_: Asked) -> None:
        await gate.wait()

    keystone.script("GET", "/v3/auth/tokens", wait)

    async def check() -> None:
        outcomes.append(await validator.validate(user.token))

    async with trio.open_nursery() as nursery:
        for _ in range(100):
            nursery.start_soon(check)
        await wait_all_tasks_blocked()
        gate.set()
    assert checks(keystone) == 1
    assert len(outcomes) == 100
    assert all(isinstance(outcome, TokenInfo) for outcome in outcomes)


async def test_a_client_that_hangs_up_leaves_the_others_an_answer(
    cloud, keystone: FakeKeystone, make: Make
) -> None:
    validator, user = make(), await cloud.token("demo")
    gate, doomed = trio.Event(), trio.CancelScope()
    outcomes: list[object] = []

    async def wait(_: Asked) -> None:
        await gate.wait()

    keystone.script("GET", "/v3/auth/tokens", wait)

    async def check(scope: trio.CancelScope) -> None:
        with scope:
            outcomes.append(await validator.validate(user.token))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(check, doomed)
        await wait_all_tasks_blocked()
        nursery.start_soon(check, trio.CancelScope())
        await wait_all_tasks_blocked()
        doomed.cancel()
    assert doomed.cancelled_caught
    assert [type(outcome) for outcome in outcomes] == [TokenInfo]


async def test_a_good_token_is_asked_about_again_after_the_cache_time(
    cloud, keystone: FakeKeystone, make: Make, mock_clock: MockClock
) -> None:
    validator, user = make(), await cloud.token("demo")
    await validator.validate(user.token)
    mock_clock.jump(299)
    await validator.validate(user.token)
    assert checks(keystone) == 1
    mock_clock.jump(2)
    del keystone.tokens[user.token]
    assert isinstance(await validator.validate(user.token), Refused)
    assert checks(keystone) == 2


async def test_a_remembered_token_ends_when_it_ends(
    cloud, keystone: FakeKeystone, make: Make
) -> None:
    validator, user = make(), await cloud.token("demo")
    keystone.now = user.expires_at - timedelta(seconds=1)
    assert isinstance(await validator.validate(user.token), TokenInfo)
    keystone.now = user.expires_at
    assert isinstance(await validator.validate(user.token), Refused)
    assert checks(keystone) == 1
    assert isinstance(await validator.validate(user.token, allow_expired=True), TokenInfo)


async def test_an_unknown_token_is_remembered_for_a_few_seconds(
    keystone: FakeKeystone, make: Make, mock_clock: MockClock
) -> None:
    validator = make()
    for _ in range(3):
        assert await validator.validate("unknown") == Refused(
            404, "Could not recognize Fernet token"
        )
    assert checks(keystone) == 1
    mock_clock.jump(6)
    await validator.validate("unknown")
    assert checks(keystone) == 2


@pytest.mark.parametrize("token", ["", "  "])
async def test_no_token_is_not_asked_about(keystone: FakeKeystone, make: Make, token: str) -> None:
    assert isinstance(await make().validate(token), Refused)
    assert keystone.requests == []


@pytest.mark.parametrize(("seconds", "asked"), [(-1, 2), (0, 1)])
async def test_cache_times_with_a_meaning_of_their_own(
    cloud, keystone: FakeKeystone, make: Make, mock_clock: MockClock, seconds: int, asked: int
) -> None:
    validator, user = make(token_cache_time=seconds), await cloud.token("demo")
    await validator.validate(user.token)
    mock_clock.jump(10_000)
    await validator.validate(user.token)
    assert checks(keystone) == asked


async def test_our_own_token_is_renewed_when_keystone_rejects_it(
    cloud, keystone: FakeKeystone, make: Make
) -> None:
    validator, user = make(), await cloud.token("demo")
    own = await cloud.token("heat", "service")
    del keystone.tokens[own.token]
    assert isinstance(await validator.validate(user.token), TokenInfo)
    assert checks(keystone) == 2


async def test_it_gives_up_when_even_the_new_one_is_rejected(
    cloud, keystone: FakeKeystone, make: Make
) -> None:
    validator, user = make(), await cloud.token("demo")
    keystone.script("GET", "/v3/auth/tokens", Answer(401), Answer(401))
    assert isinstance(await validator.validate(user.token), Unavailable)
    assert isinstance(await validator.validate(user.token), TokenInfo), "that isn't remembered"


async def test_our_own_wrong_password_is_not_the_users_fault(
    cloud, keystone: FakeKeystone, make: Make
) -> None:
    validator, user = make(), await cloud.token("demo")
    keystone.users[keystone.user_id("heat")]["password"] = "changed"
    outcome = await validator.validate(user.token)
    assert isinstance(outcome, Unavailable)
    assert "no token for the service itself" in outcome.text


async def test_a_keystone_that_is_away(
    cloud, keystone: FakeKeystone, make: Make, autojump_clock: MockClock
) -> None:
    validator, user = make(), await cloud.token("demo")
    keystone.script("GET", "/v3/auth/tokens", *[httpx2.ConnectError("refused")] * 4)
    assert isinstance(await validator.validate(user.token), Unavailable)
    assert isinstance(await validator.validate(user.token), TokenInfo)


@pytest.mark.parametrize("status", [403, 500])
async def test_other_answers_leave_the_question_open(
    cloud, keystone: FakeKeystone, make: Make, status: int
) -> None:
    validator, user = make(), await cloud.token("demo")
    keystone.script("GET", "/v3/auth/tokens", Answer(status))
    assert await validator.validate(user.token) == Unavailable(status, f"HTTP {status}")


async def test_keystone_is_asked_where_the_catalog_says(
    cloud, keystone: FakeKeystone, make: Make
) -> None:
    user = await cloud.token("demo")
    keystone.catalog = catalog_of(identity="http://inside:5000/v3")
    hosts: list[str] = []

    async def note(asked: Asked) -> None:
        hosts.append(asked.headers["host"])

    keystone.script("GET", "/v3/auth/tokens", note, note)
    await make(interface="internal", region_name="RegionOne").validate(user.token)
    await make(interface="internal", region_name="Elsewhere").validate(user.token)
    assert hosts == ["inside:5000", BASE.removeprefix("http://")]


async def test_without_the_catalog_when_it_is_not_wanted(
    cloud, keystone: FakeKeystone, make: Make
) -> None:
    user = await cloud.token("demo")
    outcome = await make(include_service_catalog=False).validate(user.token)
    assert isinstance(outcome, TokenInfo)
    assert "catalog" not in outcome.body


async def test_the_memory_is_bounded(cloud, keystone: FakeKeystone, make: Make) -> None:
    validator, user = make(max_entries=10), await cloud.token("demo")
    await validator.validate(user.token)
    for number in range(30):
        await validator.validate(f"guess-{number}")
        await validator.validate(user.token)
    assert checks(keystone) == 31, "what is in use stays"
    assert len(validator._entries) == 10
