from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fake_keystone import Answer, FakeKeystone

from heat_core.errors import AuthorizationFailure, MissingCredentialError
from heat_core.procedure import ServiceError
from heat_core.rpc import RequestContext
from heat_io.openstack import StoredCredentials, Trust, Trusts, credentials_of


async def context_of(cloud, name: str = "demo") -> RequestContext:
    info = await cloud.token(name)
    context = await cloud.openstack.authenticator.authenticate({"X-Auth-Token": info.token})
    assert isinstance(context, RequestContext)
    return context


def make(cloud, **options: object) -> Trusts:
    login = cloud.request("heat").login
    trustee = options.pop("trustee", login)
    return Trusts(
        cloud.openstack.services,
        cloud.openstack.tokens,
        trustee=trustee,  # type: ignore[arg-type] - the test gives a login
        **options,  # type: ignore[arg-type] - the test names options
    )


async def test_a_trust_lets_the_service_act_for_the_user(cloud, keystone: FakeKeystone) -> None:
    context = await context_of(cloud)
    trusted = await make(cloud).create(context)
    trust = keystone.trusts[trusted.trust_id or ""]
    assert trust["trustor_user_id"] == keystone.user_id("demo") == trusted.trustor_user_id
    assert trust["trustee_user_id"] == keystone.user_id("heat")
    assert trust["project_id"] == keystone.project_id("demo")
    assert trust["impersonation"] is True
    assert [role["name"] for role in trust["roles"]] == ["member", "reader"]
    assert replace(trusted, trust_id=None, trustor_user_id=None) == context
    assert trusted.trust_id not in repr(trusted)
    asked = keystone.requests[-1]
    assert asked.headers["x-auth-token"] == context.auth_token
    assert asked.body["trust"]["allow_redelegation"] is False
    session = await cloud.openstack.services.session(credentials_of(trusted))
    assert session.info is not None
    assert session.info.user_name == "demo"


async def test_a_context_with_a_trust_keeps_it(cloud, keystone: FakeKeystone) -> None:
    context = RequestContext(trust_id="t")
    assert await make(cloud).create(context) is context
    assert keystone.requests == []


async def test_chosen_roles_only(cloud, keystone: FakeKeystone) -> None:
    trusts = make(cloud, delegated_roles=["reader"], allow_redelegation=True)
    trusted = await trusts.create(await context_of(cloud))
    roles = keystone.trusts[trusted.trust_id or ""]["roles"]
    assert [role["name"] for role in roles] == ["reader"]
    assert keystone.requests[-1].body["trust"]["allow_redelegation"] is True


async def test_a_role_that_the_user_does_not_have(cloud) -> None:
    with pytest.raises(MissingCredentialError) as failure:
        await make(cloud, delegated_roles=["nosuch"]).create(await context_of(cloud))
    text = "Missing required credential: roles {'role_names': ['nosuch']}"
    assert str(failure.value) == text


async def test_a_token_that_says_no_roles_uses_those_of_the_context(
    cloud, keystone: FakeKeystone
) -> None:
    context = await context_of(cloud)
    info = dict(context.auth_token_info or {})["token"]
    bare = {key: value for key, value in info.items() if key != "roles"}
    await make(cloud).create(replace(context, roles=("reader",), auth_token_info={"token": bare}))
    assert keystone.requests[-1].body["trust"]["roles"] == [{"name": "reader"}]


async def test_a_federated_user_is_known_by_id_alone(cloud, keystone: FakeKeystone) -> None:
    context = await context_of(cloud)
    body = dict((context.auth_token_info or {})["token"])
    federation = {
        "identity_provider": {"id": "idp"},
        "protocol": {"id": "openid"},
        "groups": [{"id": "g"}],
    }
    body["user"] = {
        "id": body["user"]["id"],
        "name": "jane@example.org",
        "domain": {"id": "Federated", "name": "Federated"},
        "OS-FEDERATION": federation,
    }
    body["methods"] = ["openid"]
    trusted = await make(cloud).create(replace(context, auth_token_info={"token": body}))
    trust = keystone.trusts[trusted.trust_id or ""]
    assert trust["trustor_user_id"] == trusted.trustor_user_id == keystone.user_id("demo")
    assert [role["name"] for role in trust["roles"]] == ["member", "reader"]


async def test_the_service_user_cannot_log_in(cloud) -> None:
    wrong = cloud.request("heat", password="wrong").login
    with pytest.raises(AuthorizationFailure) as failure:
        await make(cloud, trustee=wrong).create(await context_of(cloud))
    assert str(failure.value) == "Authorization failed."


async def test_a_known_trustee_needs_no_log_in(cloud, keystone: FakeKeystone) -> None:
    trustee = replace(cloud.request("heat").login, user_id="known")
    assert await make(cloud, trustee=trustee).trustee_id() == "known"
    assert keystone.requests == []


async def test_a_context_without_credentials(cloud) -> None:
    with pytest.raises(AuthorizationFailure):
        await make(cloud).create(RequestContext(user_id="u"))


async def test_keystones_other_answers_come_through(cloud, keystone: FakeKeystone) -> None:
    keystone.script("POST", "/v3/OS-TRUST", Answer(409, {"error": {"message": "No."}}))
    with pytest.raises(ServiceError) as failure:
        await make(cloud).create(await context_of(cloud))
    assert (failure.value.error_class, failure.value.message) == ("Conflict", "No.")


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (
            {"application_credential": {"restricted": True}, "methods": []},
            "Authorization failed. A stack needs a trust, and Keystone makes none for a restricted"
            " application credential. Use an application credential made with --unrestricted, or a"
            " password.",
        ),
        (
            {"OS-TRUST:trust": {"id": "t"}},
            "Authorization failed. A stack needs a trust, and Keystone makes none out of a token"
            " that comes from a trust itself (No). Use a password.",
        ),
        (
            {},
            "Authorization failed. A stack needs a trust, and Keystone makes none for this token:"
            " No.",
        ),
    ],
)
async def test_a_token_that_makes_no_trust(
    cloud, keystone: FakeKeystone, token: dict[str, Any], text: str
) -> None:
    keystone.script("POST", "/v3/OS-TRUST", Answer(403, {"error": {"message": "No."}}))
    context = await context_of(cloud)
    info = {"token": {**(context.auth_token_info or {})["token"], **token}}
    with pytest.raises(AuthorizationFailure) as failure:
        await make(cloud).create(replace(context, auth_token_info=info))
    assert str(failure.value) == text


async def test_deleting_is_quiet_about_what_is_gone(cloud, keystone: FakeKeystone) -> None:
    trusts, context = make(cloud), await context_of(cloud)
    trusted = await trusts.create(context)
    await cloud.openstack.services.session(credentials_of(trusted))
    await trusts.delete(credentials_of(context), trusted.trust_id or "")
    assert keystone.trusts == {}
    with pytest.raises(ServiceError) as failure:
        await cloud.openstack.services.session(credentials_of(trusted))
    assert failure.value.status == 401, "the token of the trust is forgotten with it"
    await trusts.delete(credentials_of(context), trusted.trust_id or "")
    await trusts.delete(credentials_of(trusted), trusted.trust_id or "")


async def test_deleting_what_is_somebody_elses(cloud, keystone: FakeKeystone) -> None:
    trusts = make(cloud)
    trusted = await trusts.create(await context_of(cloud))
    other = await context_of(cloud, "alt_demo")
    with pytest.raises(ServiceError) as failure:
        await trusts.delete(credentials_of(other), trusted.trust_id or "")
    assert failure.value.status == 403
    await trusts.delete_stored(other, StoredCredentials.from_context(trusted))
    assert keystone.trusts == {}
    used = keystone.requests[-1].headers["x-auth-token"]
    assert keystone.tokens[used].trust == trusted.trust_id, "deleted through itself"


async def test_deleting_ones_own(cloud, keystone: FakeKeystone) -> None:
    trusts, context = make(cloud), await context_of(cloud)
    stored = StoredCredentials.from_context(await trusts.create(context))
    await trusts.delete_stored(context, stored)
    assert keystone.trusts == {}
    assert keystone.requests[-1].headers["x-auth-token"] == context.auth_token
    await trusts.delete_stored(context, StoredCredentials(username="u", password="p"))


async def test_a_new_trust_in_place_of_the_old_one(cloud, keystone: FakeKeystone) -> None:
    trusts, context = make(cloud), await context_of(cloud)
    first = await trusts.regenerate(context)
    assert len(keystone.trusts) == 1
    # A stored context has a trust and no token: the new trust can't be made from the old one.
    with pytest.raises(AuthorizationFailure, match="comes from a trust itself"):
        await trusts.regenerate(first)
    assert list(keystone.trusts) == [first.trust_id]
    assert credentials_of(first) == Trust(first.trust_id or "", first.trustor_user_id)
