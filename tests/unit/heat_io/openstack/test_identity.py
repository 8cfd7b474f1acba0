from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest
import trio
from fake_keystone import BASE, Answer, FakeKeystone
from trio.testing import MockClock

from heat_io.openstack.client import HttpClient
from heat_io.openstack.credentials import PasswordLogin, ProjectScope, TokenRequest, TrustScope
from heat_io.openstack.identity import Denied, Identity, Refused, Unavailable
from heat_io.openstack.token_info import TokenInfo


@pytest.fixture
async def identity(keystone: FakeKeystone) -> AsyncIterator[Identity]:
    async with HttpClient.open(transport=keystone.transport()) as http:
        yield Identity(http)


def request(name: str, password: str = "secret", scope: object = "project") -> TokenRequest:
    login = PasswordLogin(auth_url=BASE, username=name, password=password, user_domain_id="default")
    if scope == "project":
        return TokenRequest(login, ProjectScope(project_name=name, project_domain_id="default"))
    return TokenRequest(login, scope)  # type: ignore[arg-type] - the test gives a scope


SERVICE = TokenRequest(
    PasswordLogin(auth_url=BASE, username="heat", password="secret", user_domain_id="default"),
    ProjectScope(project_name="service", project_domain_id="default"),
)


async def test_a_password_gives_a_token(identity: Identity, keystone: FakeKeystone) -> None:
    info = await identity.authenticate(request("demo"), global_request_id="req-x")
    assert isinstance(info, TokenInfo)
    assert info.token in keystone.tokens
    assert (info.user_name, info.project_name) == ("demo", "demo")
    assert keystone.requests[0].path == "/v3/auth/tokens", "the address names no version"
    assert keystone.requests[0].headers["x-openstack-request-id"] == "req-x"


@pytest.mark.parametrize(
    "wrong",
    [
        request("demo", "wrong"),
        request("nobody"),
        request("demo", scope=ProjectScope(project_name="alt_demo", project_domain_id="default")),
        request("heat", scope=TrustScope("gone")),
    ],
)
async def test_refusals(identity: Identity, wrong: TokenRequest) -> None:
    outcome = await identity.authenticate(wrong)
    assert outcome == Refused(401, "The request you have made requires authentication.")


async def test_a_validation_tells_what_the_token_is(
    identity: Identity, keystone: FakeKeystone
) -> None:
    own, user = await identity.authenticate(SERVICE), await identity.authenticate(request("demo"))
    assert isinstance(own, TokenInfo)
    assert isinstance(user, TokenInfo)
    found = await identity.validate(BASE, own.token, user.token)
    assert isinstance(found, TokenInfo)
    assert (found.token, found.project_id) == (user.token, keystone.project_id("demo"))
    assert found.catalog.endpoints
    asked = keystone.requests[-1]
    assert asked.headers["openstack-identity-access-rules"] == "1"
    assert asked.query == {}
    bare = await identity.validate(BASE, own.token, user.token, include_catalog=False)
    assert isinstance(bare, TokenInfo)
    assert bare.catalog.endpoints == ()
    assert keystone.requests[-1].query == {"nocatalog": ""}


async def test_an_expired_token_is_shown_to_those_who_may_see_it(
    identity: Identity, keystone: FakeKeystone
) -> None:
    user = await identity.authenticate(request("demo"))
    assert isinstance(user, TokenInfo)
    keystone.now = user.expires_at
    own = await identity.authenticate(SERVICE)
    assert isinstance(own, TokenInfo)
    assert isinstance(await identity.validate(BASE, own.token, user.token), Refused)
    shown = await identity.validate(BASE, own.token, user.token, allow_expired=True)
    assert isinstance(shown, TokenInfo)


async def test_other_outcomes_of_a_validation(identity: Identity, keystone: FakeKeystone) -> None:
    own, user = await identity.authenticate(SERVICE), await identity.authenticate(request("demo"))
    assert isinstance(own, TokenInfo)
    assert isinstance(user, TokenInfo)
    assert await identity.validate(BASE, own.token, "unknown") == Refused(
        404, "Could not recognize Fernet token"
    )
    assert await identity.validate(BASE, "not ours", user.token) == Denied()
    assert await identity.validate(BASE, user.token, own.token) == Unavailable(
        403,
        "You are not authorized to perform the requested action: identity:validate_token.",
    )


@pytest.mark.parametrize("body", [None, "<html>", {"token": {}}, {"token": {"user": []}}])
async def test_an_answer_that_holds_no_token(
    identity: Identity, keystone: FakeKeystone, body: object
) -> None:
    keystone.script("POST", "/", Answer(201, body, {"x-subject-token": "t"}))
    outcome = await identity.authenticate(request("demo"))
    assert outcome == Unavailable(201, "the answer holds no token")


async def test_a_token_answer_without_its_header(
    identity: Identity, keystone: FakeKeystone
) -> None:
    keystone.script("POST", "/", Answer(201, {"token": {}}))
    assert await identity.authenticate(request("demo")) == Unavailable(201, "HTTP 201")


async def test_keystone_is_asked_again_while_it_is_away(
    identity: Identity, keystone: FakeKeystone, autojump_clock: MockClock
) -> None:
    keystone.script(
        "POST", "/", httpx2.ConnectError("refused"), Answer(503), httpx2.ReadError("broken")
    )
    started = trio.current_time()
    assert isinstance(await identity.authenticate(request("demo")), TokenInfo)
    assert trio.current_time() - started == pytest.approx(0.5 + 1 + 2)
    assert len(keystone.requests) == 4


async def test_it_gives_up_at_last(
    identity: Identity, keystone: FakeKeystone, autojump_clock: MockClock
) -> None:
    keystone.script("POST", "/", *[httpx2.ConnectError("refused")] * 4)
    outcome = await identity.authenticate(request("demo"))
    assert isinstance(outcome, Unavailable)
    assert (outcome.status, outcome.timed_out) == (0, False)
    assert "refused" in outcome.text
    keystone.script("POST", "/", *[Answer(502)] * 4)
    assert await identity.authenticate(request("demo")) == Unavailable(502, "HTTP 502")
    keystone.script("POST", "/", Answer(500))
    assert await identity.authenticate(request("demo")) == Unavailable(500, "HTTP 500")


async def test_a_silent_keystone_is_not_asked_four_times(
    identity: Identity, keystone: FakeKeystone, autojump_clock: MockClock
) -> None:
    async def silence(_: object) -> None:
        await trio.sleep_forever()

    keystone.script("POST", "/", silence)
    started = trio.current_time()
    outcome = await identity.authenticate(request("demo"))
    assert isinstance(outcome, Unavailable)
    assert outcome.timed_out
    assert trio.current_time() - started == pytest.approx(30)


async def test_retry_after_is_honoured(
    identity: Identity, keystone: FakeKeystone, autojump_clock: MockClock
) -> None:
    keystone.script("POST", "/", Answer(429, headers={"retry-after": "9"}))
    started = trio.current_time()
    assert isinstance(await identity.authenticate(request("demo")), TokenInfo)
    assert trio.current_time() - started == pytest.approx(9)


async def test_the_catalog_of_a_token(
    identity: Identity, keystone: FakeKeystone, autojump_clock: MockClock
) -> None:
    user = await identity.authenticate(request("demo"))
    assert isinstance(user, TokenInfo)
    assert await identity.catalog(BASE, user.token) == user.catalog
    assert isinstance(await identity.catalog(BASE, "unknown"), Refused)
    keystone.script("GET", "/v3/auth/catalog", Answer(500), *[httpx2.ConnectError("refused")] * 4)
    assert await identity.catalog(BASE, user.token) == Unavailable(500, "HTTP 500")
    assert isinstance(await identity.catalog(BASE, user.token), Unavailable)
