from __future__ import annotations

from collections.abc import Mapping

import httpx2
import pytest
from fake_keystone import Answer, FakeKeystone
from trio.testing import MockClock

from heat_core.rpc import RequestContext
from heat_io.openstack import Authenticator, AuthenticatorSettings, Refusal, TokenValidator
from heat_io.openstack.refusal import keystone_unavailable, unauthorized

URI = "http://keystone.example:5000"
TURNED_AWAY = unauthorized(URI)


@pytest.fixture
def make(cloud, keystone: FakeKeystone):
    def authenticator(**settings: object) -> Authenticator:
        validator = TokenValidator(
            cloud.openstack.validator._identity,
            cloud.openstack.tokens,
            cloud.request("heat", "service"),
            wall_clock=lambda: keystone.now,
        )
        options = {"www_authenticate_uri": URI, "auth_url": URI + "/v3", **settings}
        return Authenticator(validator, AuthenticatorSettings(**options))  # type: ignore[arg-type]

    return authenticator


async def accepted(
    authenticator: Authenticator, headers: Mapping[str, str], **more: str
) -> RequestContext:
    context = await authenticator.authenticate(headers, **more)
    assert isinstance(context, RequestContext), context
    return context


async def test_a_good_token_becomes_a_context(cloud, keystone: FakeKeystone, make) -> None:
    user = await cloud.token("demo")
    context = await accepted(
        make(), {"X-Auth-Token": user.token}, request_id="req-1", global_request_id="req-0"
    )
    info = context.auth_token_info
    assert info is not None
    assert context == RequestContext(
        request_id="req-1",
        global_request_id="req-0",
        user_id=keystone.user_id("demo"),
        username="demo",
        project_id=keystone.project_id("demo"),
        project_name="demo",
        user_domain_id="default",
        project_domain_id="default",
        roles=("member", "reader"),
        auth_url=URI + "/v3",
        auth_token=user.token,
        auth_token_info=info,
    )
    assert set(info) == {"token"}
    assert info["token"]["auth_token"] == user.token
    assert info["token"]["version"] == "v3"
    assert info["token"]["catalog"] == keystone.catalog
    assert user.token not in repr(context)


async def test_identity_headers_of_the_client_change_nothing(cloud, make) -> None:
    user = await cloud.token("demo")
    authenticator = make()
    plain = await accepted(authenticator, {"X-Auth-Token": user.token})
    spoofed = {
        "X-Auth-Token": user.token,
        "X-Identity-Status": "Confirmed",
        "X-Service-Identity-Status": "Confirmed",
        "X-Roles": "admin",
        "X-Role": "admin",
        "X-User-Id": "root",
        "X-User": "root",
        "X-User-Name": "root",
        "X-Project-Id": "other",
        "X-Tenant-Id": "other",
        "X-Project-Name": "other",
        "X-Domain-Id": "other",
        "X-User-Domain-Id": "other",
        "X-Project-Domain-Id": "other",
        "X-Is-Admin-Project": "False",
        "OpenStack-System-Scope": "all",
        "X-Service-Catalog": "[]",
        "X-Auth-Url": "http://evil",
    }
    assert await accepted(authenticator, spoofed) == plain
    del spoofed["X-Auth-Token"]
    assert await authenticator.authenticate(spoofed) == TURNED_AWAY


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Auth-Token": ""},
        {"X-Auth-Token": "unknown"},
        {"X-Auth-Token": "", "X-Storage-Token": "unknown"},
        {"Authorization": "Bearer x"},
    ],
)
async def test_without_a_good_token_nobody_gets_in(make, headers: dict[str, str]) -> None:
    for method in ("GET", "HEAD", "POST"):
        assert await make().authenticate(headers, method=method) == TURNED_AWAY


async def test_an_empty_token_hides_the_other_header(cloud, make) -> None:
    user = await cloud.token("demo")
    assert isinstance(await make().authenticate({"X-Storage-Token": user.token}), RequestContext)
    both = {"X-Auth-Token": "", "X-Storage-Token": user.token}
    assert await make().authenticate(both) == TURNED_AWAY


async def test_header_names_in_any_case_and_repeated_ones(cloud, make) -> None:
    user = await cloud.token("demo")
    assert isinstance(await make().authenticate({"x-aUTH-token": user.token}), RequestContext)

    class Twice(dict):
        def items(self):
            return [("X-Auth-Token", user.token), ("x-auth-token", user.token)]

    assert await make().authenticate(Twice()) == TURNED_AWAY


async def test_an_expired_token(cloud, keystone: FakeKeystone, make) -> None:
    user = await cloud.token("demo")
    keystone.now = user.expires_at
    assert await make().authenticate({"X-Auth-Token": user.token}) == TURNED_AWAY


async def test_a_service_may_bring_an_expired_token(cloud, keystone: FakeKeystone, make) -> None:
    user = await cloud.token("demo")
    keystone.now = user.expires_at
    cloud.openstack.tokens.forget(cloud.request("heat", "service"))
    service = await cloud.token("heat", "service")
    headers = {"X-Auth-Token": user.token, "X-Service-Token": service.token}
    context = await accepted(make(), headers)
    assert (context.username, context.roles) == ("demo", ("member", "reader"))


async def test_only_a_service_has_a_service_token(cloud, keystone: FakeKeystone, make) -> None:
    user, other = await cloud.token("demo"), await cloud.token("alt_demo")
    headers = {"X-Auth-Token": user.token, "X-Service-Token": other.token}
    assert await make().authenticate(headers) == TURNED_AWAY
    lax = make(service_token_roles_required=False)
    assert isinstance(await lax.authenticate(headers), RequestContext)
    keystone.now = user.expires_at
    cloud.openstack.tokens.forget(cloud.request("alt_demo"))
    fresh = await cloud.token("alt_demo")
    assert await lax.authenticate({**headers, "X-Service-Token": fresh.token}) == TURNED_AWAY
    assert await make().authenticate({**headers, "X-Service-Token": "unknown"}) == TURNED_AWAY


@pytest.mark.parametrize("accept", ["application/json", "*/*", ""])
async def test_when_keystone_is_away_nobody_can_be_let_in(
    cloud, keystone: FakeKeystone, make, autojump_clock: MockClock, accept: str
) -> None:
    user = await cloud.token("demo")
    down = [httpx2.ConnectError("refused")] * 12
    keystone.script("POST", "/v3/auth/tokens", *down)
    headers = {"X-Auth-Token": user.token, **({"Accept": accept} if accept else {})}
    assert await make().authenticate(headers) == keystone_unavailable(accept)
    assert await make().authenticate(headers, method="HEAD") == keystone_unavailable("", head=True)
    with_service = {**headers, "X-Service-Token": "s"}
    assert await make().authenticate(with_service) == keystone_unavailable(accept)


async def test_a_decision_that_is_left_to_the_application(
    cloud, keystone: FakeKeystone, make, autojump_clock: MockClock
) -> None:
    later = make(delay_auth_decision=True)
    nobody = await accepted(later, {"X-Auth-Token": "unknown", "X-Roles": "admin"})
    assert nobody == RequestContext(auth_url=URI + "/v3", auth_token="unknown")
    assert await accepted(later, {}) == RequestContext(auth_url=URI + "/v3")
    user = await cloud.token("demo")
    assert (await accepted(later, {"X-Auth-Token": user.token})).username == "demo"
    keystone.script("GET", "/v3/auth/tokens", *[httpx2.ConnectError("refused")] * 4)
    other = await cloud.token("alt_demo")
    assert (await accepted(later, {"X-Auth-Token": other.token})).user_id is None


async def test_what_a_client_says_about_itself_beside_the_token(cloud, make) -> None:
    user = await cloud.token("demo")
    context = await accepted(
        make(),
        {
            "X-Auth-Token": user.token,
            "X-Auth-User": "somebody",
            "X-Auth-Key": "hush",
            "X-Auth-EC2-Creds": "{}",
            "X-Region-Name": "Two",
        },
    )
    assert (context.username, context.password, context.aws_creds) == ("somebody", "hush", None)
    assert context.region_name == "Two"
    assert "hush" not in repr(context)
    ec2 = await accepted(make(), {"X-Auth-Token": user.token, "X-Auth-EC2-Creds": "{}"})
    assert (ec2.username, ec2.aws_creds) == ("demo", "{}")


async def test_access_rules_of_application_credentials(cloud, keystone: FakeKeystone, make) -> None:
    user = await cloud.token("demo")
    body = {
        "token": {
            **user.body,
            "catalog": [{"type": "orchestration", "endpoints": []}],
            "application_credential": {
                "access_rules": [
                    {"method": "GET", "path": "/v1/*/stacks", "service": "orchestration"}
                ]
            },
        }
    }
    keystone.script("GET", "/v3/auth/tokens", *[Answer(200, body)] * 2)
    headers = {"X-Auth-Token": user.token}
    strict = make(service_type="orchestration")
    assert isinstance(await strict.authenticate(headers, path="/v1/p/stacks"), RequestContext)
    assert await strict.authenticate(headers, path="/v1/p/stacks/x") == TURNED_AWAY
    assert await strict.authenticate(headers, path="/v1/p/stacks", method="POST") == TURNED_AWAY
    assert await make().authenticate(headers, path="/v1/p/stacks") == TURNED_AWAY


async def test_tokens_bound_to_kerberos_cannot_be_used(cloud, keystone: FakeKeystone, make) -> None:
    user = await cloud.token("demo")
    for bind, good in (({"kerberos": "demo"}, False), ({"x509": "demo"}, True)):
        body = {"token": {**user.body, "bind": bind}}
        keystone.script("GET", "/v3/auth/tokens", Answer(200, body))
        outcome = await make().authenticate({"X-Auth-Token": user.token})
        assert isinstance(outcome, RequestContext) is good


async def test_other_scopes(cloud, keystone: FakeKeystone, make) -> None:
    user = await cloud.token("demo")
    bare = {key: value for key, value in user.body.items() if key not in ("project", "catalog")}
    for scope, expected in (
        ({"system": {"all": True}}, ("all", None, None)),
        ({"domain": {"id": "d", "name": "D"}}, (None, "d", None)),
        ({}, (None, None, None)),
    ):
        keystone.script("GET", "/v3/auth/tokens", Answer(200, {"token": {**bare, **scope}}))
        context = await accepted(make(), {"X-Auth-Token": user.token})
        assert (context.system_scope, context.domain_id, context.project_id) == expected


async def test_refusals_are_logged_without_the_token(
    make, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    assert isinstance(await make().authenticate({"X-Auth-Token": "gAAAA-hush"}), Refusal)
    assert caplog.records
    assert "gAAAA-hush" not in repr([record.__dict__ for record in caplog.records])
