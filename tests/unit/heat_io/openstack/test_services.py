from __future__ import annotations

from datetime import timedelta

import httpx2
import pytest
import trio
from fake_keystone import BASE, Answer, Asked, FakeKeystone, catalog_of
from trio.testing import MockClock, wait_all_tasks_blocked

from heat_core.procedure import HttpCall, ServiceError
from heat_io.log_context import bound
from heat_io.openstack import (
    Credentials,
    Password,
    ServiceClient,
    ServiceSettings,
    ServiceUser,
    Trust,
    UserToken,
    credentials_of,
)

PROJECTS = HttpCall("GET", "identity", "/v3/projects")
REQUEST_ID = "req-00000000-0000-4000-8000-000000000001"


def make(cloud, **settings: object) -> ServiceClient:
    options = {"retries": 3, **settings}
    return ServiceClient(
        cloud.openstack.http,
        cloud.openstack.tokens,
        service_user=cloud.request("heat", "service"),
        trustee=cloud.request("heat").login,
        settings=ServiceSettings(**options),  # type: ignore[arg-type] - the test names options
        jitter=lambda: 0.5,
    )


async def user_credentials(cloud, name: str = "admin") -> UserToken:
    info = await cloud.token(name)
    return UserToken(info.token, info.context_info())


async def a_trust(cloud) -> Trust:
    info = await cloud.token("demo")
    context = await cloud.openstack.authenticator.authenticate({"X-Auth-Token": info.token})
    credentials = credentials_of(await cloud.openstack.trusts.create(context))
    assert isinstance(credentials, Trust)
    return credentials


async def refusal(client: ServiceClient, credentials: Credentials, call: HttpCall) -> ServiceError:
    with pytest.raises(ServiceError) as failure:
        await client.send(credentials, call)
    return failure.value


async def test_a_users_token_and_catalog_are_used(cloud, keystone: FakeKeystone) -> None:
    credentials = await user_credentials(cloud)
    before = len(keystone.requests)
    call = HttpCall(
        "GET",
        "identity",
        "/projects",
        query=(("name", "demo"),),
        headers=(("X-Extra", "1"),),
    )
    answer = await make(cloud).send(credentials, call, request_id=REQUEST_ID)
    assert [project["name"] for project in answer.body["projects"]] == ["demo"]
    assert len(keystone.requests) == before + 1, "nothing is asked of Keystone beside it"
    asked = keystone.requests[-1]
    assert (asked.path, asked.query) == ("/v3/projects", {"name": "demo"})
    assert asked.headers["x-auth-token"] == credentials.token
    assert asked.headers["x-openstack-request-id"] == REQUEST_ID
    assert asked.headers["x-extra"] == "1"


async def test_the_request_id_of_the_log_context_travels_too(cloud, keystone: FakeKeystone) -> None:
    credentials = await user_credentials(cloud)
    with bound(request_id=REQUEST_ID):
        await make(cloud).send(credentials, PROJECTS)
    assert keystone.requests[-1].headers["x-openstack-request-id"] == REQUEST_ID
    with bound(request_id="not in the services' form"):
        await make(cloud).send(credentials, PROJECTS)
    assert "x-openstack-request-id" not in keystone.requests[-1].headers


async def test_every_kind_of_credentials(cloud, keystone: FakeKeystone) -> None:
    client = make(cloud)
    for credentials, user in (
        (await user_credentials(cloud), "admin"),
        (Password(cloud.request("admin")), "admin"),
        (ServiceUser(), "heat"),
        (await a_trust(cloud), "demo"),
    ):
        session = await client.session(credentials)
        assert session.info is not None
        assert session.info.user_name == user
        assert session.token not in repr(session)
    assert keystone.tokens[session.token].trust == session.trust_id


async def test_the_endpoint_follows_region_and_interface(cloud, keystone: FakeKeystone) -> None:
    keystone.catalog = catalog_of(identity=BASE, network="http://n:9696/", compute="http://c/v2.1")
    other = catalog_of(network="http://n2:9696")[0]["endpoints"]
    for endpoint in other:
        endpoint["region_id"] = "Two"
    keystone.catalog[1]["endpoints"] += other
    keystone.catalog[2]["endpoints"][1]["url"] = "http://inner/v2.1"
    urls: list[str] = []

    async def note(asked: Asked) -> Answer:
        urls.append(asked.headers["host"] + asked.path)
        return Answer(200, {})

    keystone.script("GET", "/v2", *[note] * 5)
    info = await cloud.token("admin")
    ports = HttpCall("GET", "network", "/v2.0/ports")
    servers = HttpCall("GET", "compute", "/servers")
    client = make(cloud, interfaces={"compute": "internalURL"}, region_name="RegionOne")
    await client.send(UserToken(info.token, info.context_info()), ports)
    await client.send(UserToken(info.token, info.context_info(), "Two"), ports)
    await client.send(UserToken(info.token, info.context_info()), servers)
    assert urls == ["n:9696/v2.0/ports", "n2:9696/v2.0/ports", "inner/v2.1/servers"]
    missing = await refusal(client, UserToken(info.token, info.context_info(), "Two"), servers)
    assert str(missing) == "internal endpoint for compute service in Two region not found"
    assert (missing.error_class, missing.status) == ("EndpointNotFound", 0)
    shared = make(cloud, regions={"network": "Two"}, region_name="RegionOne")
    await shared.send(UserToken(info.token, info.context_info(), "RegionOne"), ports)
    assert urls[-1] == "n2:9696/v2.0/ports"
    identity = make(cloud, identity_region_name="RegionOne")
    await identity.send(UserToken(info.token, info.context_info(), "Two"), PROJECTS)


async def test_a_token_that_came_without_its_catalog(cloud, keystone: FakeKeystone) -> None:
    info = await cloud.token("admin")
    client = make(cloud)
    body = {**info.body, "catalog": []}
    for credentials in (UserToken(info.token), UserToken(info.token, {"token": body})):
        assert (await client.send(credentials, PROJECTS)).status == 200
    assert keystone.count("GET", "/v3/auth/catalog") == 1
    error = await refusal(client, UserToken("unknown"), PROJECTS)
    assert (error.status, error.error_class) == (401, "AuthorizationFailure")
    cloud.openstack.tokens._max_entries = 1
    for _ in range(2):
        for name in ("demo", "admin"):
            await client.session(UserToken((await cloud.token(name)).token))
    assert len(cloud.openstack.tokens._catalogs) == 1


async def test_a_token_that_has_no_catalog(cloud, keystone: FakeKeystone) -> None:
    info = await cloud.token("admin")
    keystone.catalog = []
    error = await refusal(make(cloud), UserToken(info.token), PROJECTS)
    assert error.error_class == "EmptyCatalog"
    with pytest.raises(AssertionError):
        await make(cloud).send(UserToken("t", {"no": "token"}), PROJECTS)


async def test_no_wait_goes_past_the_callers_deadline(
    cloud, keystone: FakeKeystone, mock_clock: MockClock
) -> None:
    credentials = await user_credentials(cloud)
    keystone.script("POST", "/v3/x", Answer(429, headers={"retry-after": "31"}))
    with trio.fail_after(30):
        error = await refusal(make(cloud), credentials, HttpCall("POST", "identity", "/v3/x", {}))
    assert (error.status, error.maybe_done, error.away) == (429, False, False)


async def test_refusals_come_in_the_librarys_words(cloud, keystone: FakeKeystone) -> None:
    call = HttpCall("POST", "identity", "/v3/projects", {"project": {"name": "demo"}})
    error = await refusal(make(cloud), await user_credentials(cloud), call)
    assert error.error_class == "Conflict"
    assert str(error).startswith("Conflict occurred attempting to store project")
    assert " (HTTP 409) (Request-ID: req-" in str(error)
    assert error.maybe_done is False


async def test_statuses_that_are_expected_are_answers(cloud, keystone: FakeKeystone) -> None:
    credentials = await user_credentials(cloud)
    for status in (404, 409, 503):
        keystone.script("GET", "/v3/x", Answer(status))
        call = HttpCall("GET", "identity", "/v3/x", expect=frozenset({status}))
        assert (await make(cloud).send(credentials, call)).status == status


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_what_can_be_repeated_is_repeated(
    cloud, keystone: FakeKeystone, autojump_clock: MockClock, method: str
) -> None:
    credentials = await user_credentials(cloud)
    keystone.script(
        method, "/v3/x", Answer(503), httpx2.ReadError("broken"), Answer(502), Answer(200, {"a": 1})
    )
    started = trio.current_time()
    answer = await make(cloud).send(credentials, HttpCall(method, "identity", "/v3/x"))
    assert answer.body == {"a": 1}
    assert trio.current_time() - started == pytest.approx(0.5 + 1 + 2)


async def test_repeats_have_an_end(
    cloud, keystone: FakeKeystone, autojump_clock: MockClock
) -> None:
    credentials = await user_credentials(cloud)
    keystone.script("GET", "/v3/x", *[Answer(503)] * 4)
    error = await refusal(make(cloud), credentials, HttpCall("GET", "identity", "/v3/x"))
    assert (error.status, error.error_class) == (503, "ServiceUnavailable")
    assert error.away
    assert keystone.count("GET", "/v3/x") == 4


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
@pytest.mark.parametrize(
    "fault",
    [Answer(500), Answer(502), Answer(503), Answer(504), httpx2.ReadError("broken")],
    ids=["500", "502", "503", "504", "lost"],
)
async def test_a_change_that_may_have_happened_is_not_repeated(
    cloud, keystone: FakeKeystone, method: str, fault: Answer | Exception
) -> None:
    credentials = await user_credentials(cloud)
    keystone.script(method, "/v3/x", fault)
    error = await refusal(make(cloud), credentials, HttpCall(method, "identity", "/v3/x", {}))
    assert (error.maybe_done, error.away) == (True, False)
    assert error.lost is isinstance(fault, Exception)
    assert keystone.count(method, "/v3/x") == 1


@pytest.mark.parametrize(
    "fault",
    [Answer(429, headers={"retry-after": "7"}), httpx2.ConnectError("refused")],
    ids=["throttled", "refused"],
)
async def test_a_change_that_certainly_did_not_happen_is_repeated(
    cloud, keystone: FakeKeystone, autojump_clock: MockClock, fault: Answer | Exception
) -> None:
    credentials = await user_credentials(cloud)
    keystone.script("POST", "/v3/x", fault, Answer(201, {}))
    answer = await make(cloud).send(credentials, HttpCall("POST", "identity", "/v3/x", {}))
    assert answer.status == 201


async def test_retry_after_is_honoured_within_bounds_and_told_to_the_polls(
    cloud, keystone: FakeKeystone, autojump_clock: MockClock
) -> None:
    credentials, client = await user_credentials(cloud), make(cloud)
    keystone.catalog = catalog_of(identity=BASE)
    for header, waited in (("7", 7), ("86400", 60)):
        keystone.script("GET", "/v3/x", Answer(429, headers={"retry-after": header}), Answer(200))
        started = trio.current_time()
        await client.send(credentials, HttpCall("GET", "identity", "/v3/x"))
        assert trio.current_time() - started == pytest.approx(waited)
    assert client.poll_delay("identity", 0, None) > 80_000
    assert client.poll_delay("volumev3", 0, None) < 1


async def test_a_trusts_token_that_is_rejected_is_replaced_once(
    cloud, keystone: FakeKeystone
) -> None:
    trust, client = await a_trust(cloud), make(cloud)
    own = HttpCall("GET", "identity", f"/v3/projects/{keystone.project_id('demo')}")
    await client.send(trust, own)
    old = keystone.requests[-1].headers["x-auth-token"]
    del keystone.tokens[old]
    await client.send(trust, own)
    assert keystone.requests[-1].headers["x-auth-token"] != old
    keystone.script("GET", "/v3/projects", Answer(401), Answer(401))
    error = await refusal(client, trust, own)
    assert (error.status, error.error_class) == (401, "Unauthorized")


async def test_many_rejected_at_once_make_one_new_token(cloud, keystone: FakeKeystone) -> None:
    trust, client = await a_trust(cloud), make(cloud)
    own = HttpCall("GET", "identity", f"/v3/projects/{keystone.project_id('demo')}")
    await client.send(trust, own)
    del keystone.tokens[keystone.requests[-1].headers["x-auth-token"]]
    before = keystone.count("POST", "/v3/auth/tokens")
    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(client.send, trust, own)
    assert keystone.count("POST", "/v3/auth/tokens") == before + 1


async def test_a_users_token_that_is_rejected_cannot_be_replaced(
    cloud, keystone: FakeKeystone
) -> None:
    credentials = await user_credentials(cloud)
    del keystone.tokens[credentials.token]
    error = await refusal(make(cloud), credentials, PROJECTS)
    assert (error.status, error.error_class) == (401, "Unauthorized")
    assert keystone.count("GET", "/v3/projects") == 1


async def test_a_trust_that_is_gone_is_not_taken_for_an_object_that_is_gone(
    cloud, keystone: FakeKeystone
) -> None:
    trust, client = await a_trust(cloud), make(cloud)
    own = HttpCall("DELETE", "identity", "/v3/projects/some-project")
    await client.session(trust)
    keystone.trusts.clear()
    error = await refusal(client, trust, own)
    assert (error.status, error.not_found) == (401, False)
    assert (error.error_class, str(error)) == ("AuthorizationFailure", "Authorization failed.")
    # The same for a user's token that was itself made from a trust.
    user = await a_trust(cloud)
    session = await client.session(user)
    assert session.info is not None
    credentials = UserToken(session.token, session.info.context_info())
    keystone.trusts.clear()
    assert (await refusal(client, credentials, own)).not_found is False


async def test_a_trust_must_stand_for_its_trustor(cloud, keystone: FakeKeystone) -> None:
    trust = await a_trust(cloud)
    wrong = Trust(trust.trust_id, keystone.user_id("admin"))
    error = await refusal(make(cloud), wrong, PROJECTS)
    assert (error.error_class, error.status) == ("AuthorizationFailure", 401)
    error = await refusal(make(cloud), Trust("gone"), PROJECTS)
    assert error.error_class == "AuthorizationFailure"


async def test_long_work_outlives_its_tokens(
    cloud, keystone: FakeKeystone, mock_clock: MockClock
) -> None:
    trust, client = await a_trust(cloud), make(cloud)
    own = HttpCall("GET", "identity", f"/v3/projects/{keystone.project_id('demo')}")
    for _ in range(5):
        await client.send(trust, own)
        keystone.now += timedelta(days=2)
        mock_clock.jump(2 * 86400)
    assert keystone.count("GET", "/v3/projects") == 5, "no request met an old token"


async def test_a_cancelled_request_is_given_up_at_once(
    cloud, keystone: FakeKeystone, mock_clock: MockClock
) -> None:
    credentials = await user_credentials(cloud)

    async def never(_: Asked) -> None:
        await trio.sleep_forever()

    keystone.script("GET", "/v3/x", never, Answer(503))
    async with trio.open_nursery() as nursery:
        for _ in range(2):  # one waits for an answer, one between two tries
            nursery.start_soon(make(cloud).send, credentials, HttpCall("GET", "identity", "/v3/x"))
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert nursery.cancel_scope.cancelled_caught
    assert keystone.count("GET", "/v3/x") == 2
    await make(cloud).send(credentials, PROJECTS)


@pytest.mark.parametrize(
    ("method", "tries", "waited"), [("POST", 1, 7.0), ("GET", 4, 0.5 + 1 + 2 + 4 * 7)]
)
async def test_each_try_has_the_callers_deadline(
    cloud,
    keystone: FakeKeystone,
    autojump_clock: MockClock,
    method: str,
    tries: int,
    waited: float,
) -> None:
    credentials = await user_credentials(cloud)

    async def never(_: Asked) -> None:
        await trio.sleep_forever()

    keystone.script(method, "/v3/x", *[never] * tries)
    started = trio.current_time()
    with pytest.raises(ServiceError) as failure:
        await make(cloud).send(
            credentials, HttpCall(method, "identity", "/v3/x"), deadline_seconds=7
        )
    assert trio.current_time() - started == pytest.approx(waited)
    assert failure.value.error_class == "ConnectTimeout"
    assert failure.value.maybe_done is (method == "POST")
    assert keystone.count(method, "/v3/x") == tries
