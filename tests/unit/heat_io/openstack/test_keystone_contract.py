"""The fake Keystone answers as the real one does: the same checks on both.

The real one is reference/up's (`--keystone-only` is enough), found at HEAT_TRIO_TEST_KEYSTONE.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import pytest

from heat_core.procedure import HttpAnswer, HttpCall, ServiceError
from heat_core.rpc import RequestContext
from heat_io.openstack import (
    Credentials,
    NoToken,
    Refused,
    StoredCredentials,
    TokenInfo,
    TokenRequest,
    TrustScope,
    UserToken,
    credentials_of,
)

PROJECT_KEYS = {
    "id",
    "name",
    "domain_id",
    "description",
    "enabled",
    "parent_id",
    "is_domain",
    "tags",
    "options",
    "links",
}
EVERYTHING = frozenset(range(400, 600))


class Caller:
    """Sends calls with one user's token and gives every answer, errors too."""

    def __init__(self, cloud: Any, info: TokenInfo) -> None:
        self._cloud = cloud
        self.info = info

    @classmethod
    async def login(cls, cloud: Any, name: str, project: str | None = None) -> Caller:
        return cls(cloud, await cloud.token(name, project))

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        call = HttpCall(
            method,
            "identity",
            path,
            body,
            query=tuple((query or {}).items()),
            headers=tuple((headers or {}).items()),
            expect=EVERYTHING,
        )
        token = UserToken(self.info.token, self.info.context_info())
        return await self._cloud.openstack.services.send(token, call)


def message(answer: HttpAnswer) -> str:
    assert set(answer.body) == {"error"}, answer.body
    assert set(answer.body["error"]) == {"code", "message", "title"}
    assert answer.body["error"]["code"] == answer.status
    return answer.body["error"]["message"]


def fresh(name: str) -> str:
    return f"heat-trio-test-{name}-{uuid.uuid4().hex[:12]}"


async def test_tokens_of_passwords(either_cloud) -> None:
    demo, service = await either_cloud.token("demo"), await either_cloud.token("heat", "service")
    assert (demo.user_name, demo.project_name, demo.user_domain_id) == ("demo", "demo", "default")
    assert sorted(demo.role_names) == ["member", "reader"]
    assert {"admin", "service"} <= set(service.role_names)
    assert demo.lifetime_seconds > 600
    assert demo.catalog.url("identity", interface="internal", region="RegionOne")
    assert {"methods", "user", "audit_ids", "expires_at", "issued_at"} <= set(demo.body)
    bare = await either_cloud.openstack.tokens.get(TokenRequest(either_cloud.request("demo").login))
    assert (bare.project_id, bare.role_names, bare.catalog.endpoints) == (None, (), ())


@pytest.mark.parametrize(
    ("name", "project", "password"),
    [
        ("demo", "demo", "wrong"),
        ("nobody", "demo", "secret"),
        ("demo", "alt_demo", "secret"),
        ("demo", "nowhere", "secret"),
    ],
)
async def test_refused_passwords(either_cloud, name: str, project: str, password: str) -> None:
    with pytest.raises(NoToken) as failure:
        await either_cloud.openstack.tokens.get(either_cloud.request(name, project, password))
    assert failure.value.outcome == Refused(
        401, "The request you have made requires authentication."
    )


async def test_looking_at_tokens(either_cloud) -> None:
    demo = await Caller.login(either_cloud, "demo")
    service = await Caller.login(either_cloud, "heat", "service")
    subject = {"X-Subject-Token": demo.info.token}
    seen = await service.ask("GET", "/v3/auth/tokens", headers=subject)
    assert seen.status == 200
    assert seen.headers["x-subject-token"] == demo.info.token
    assert seen.body["token"]["user"]["name"] == "demo"
    assert seen.body["token"]["catalog"]
    bare = await service.ask("GET", "/v3/auth/tokens", headers=subject, query={"nocatalog": ""})
    assert "catalog" not in bare.body["token"]
    assert (await demo.ask("GET", "/v3/auth/tokens", headers=subject)).status == 200
    unknown = await service.ask("GET", "/v3/auth/tokens", headers={"X-Subject-Token": "nonsense"})
    assert (unknown.status, message(unknown)) == (404, "Could not recognize Fernet token")
    other = {"X-Subject-Token": service.info.token}
    denied = await demo.ask("GET", "/v3/auth/tokens", headers=other)
    assert denied.status == 403
    assert message(denied) == (
        "You are not authorized to perform the requested action: identity:validate_token."
    )


async def test_a_revoked_token(either_cloud) -> None:
    service = await Caller.login(either_cloud, "heat", "service")
    demo = await Caller.login(either_cloud, "demo")
    subject = {"X-Subject-Token": demo.info.token}
    assert (await demo.ask("DELETE", "/v3/auth/tokens", headers=subject)).status == 204
    assert (await service.ask("GET", "/v3/auth/tokens", headers=subject)).status == 404
    refused = await demo.ask("GET", "/v3/projects")
    assert refused.status == 401
    assert message(refused) == "The request you have made requires authentication."
    assert refused.headers["www-authenticate"].startswith('Keystone uri="')


async def test_the_api_lets_users_in(either_cloud) -> None:
    demo = await either_cloud.token("demo")
    authenticator = either_cloud.openstack.authenticator
    context = await authenticator.authenticate({"X-Auth-Token": demo.token, "X-Roles": "admin"})
    assert isinstance(context, RequestContext)
    assert (context.username, context.project_name) == ("demo", "demo")
    assert sorted(context.roles) == ["member", "reader"]
    assert (await authenticator.authenticate({"X-Auth-Token": "nonsense"})).status == 401


async def test_a_trust_from_making_to_deleting(either_cloud) -> None:
    openstack = either_cloud.openstack
    demo = await Caller.login(either_cloud, "demo")
    context = await openstack.authenticator.authenticate({"X-Auth-Token": demo.info.token})
    trusted = await openstack.trusts.create(context)
    path = f"/v3/OS-TRUST/trusts/{trusted.trust_id}"
    shown = (await demo.ask("GET", path)).body["trust"]
    assert shown["trustor_user_id"] == demo.info.user_id == trusted.trustor_user_id
    assert shown["trustee_user_id"] == await openstack.trusts.trustee_id()
    assert (shown["project_id"], shown["impersonation"]) == (demo.info.project_id, True)
    assert (shown["expires_at"], shown["redelegation_count"]) == (None, 0)
    session = await openstack.services.session(credentials_of(trusted))
    assert session.info is not None
    assert session.info.trust_id == trusted.trust_id
    assert (session.info.user_name, session.info.project_name) == ("demo", "demo")
    assert sorted(session.info.role_names) == ["member", "reader"]

    other = await Caller.login(either_cloud, "alt_demo")
    assert message(await other.ask("DELETE", path)).endswith("identity:delete_trust.")
    assert message(await other.ask("GET", path)).endswith("identity:get_trust.")
    scope = TokenRequest(either_cloud.request("alt_demo").login, TrustScope(trusted.trust_id))
    with pytest.raises(NoToken) as failure:
        await openstack.tokens.get(scope)
    assert failure.value.outcome == Refused(
        403, "You are not authorized to perform the requested action."
    )
    # A trust's token makes no further trust.
    again = Caller(either_cloud, session.info)
    refused = await again.ask("POST", "/v3/OS-TRUST/trusts", {"trust": self_trust(shown)})
    assert refused.status == 403

    alt = await openstack.authenticator.authenticate({"X-Auth-Token": other.info.token})
    await openstack.trusts.delete_stored(alt, StoredCredentials.from_context(trusted))
    gone = f"Could not find trust: {trusted.trust_id}."
    for method in ("GET", "DELETE"):
        answer = await demo.ask(method, path)
        assert (answer.status, message(answer)) == (404, gone)
    # What a token of the deleted trust gets, whatever it asks for. A real Keystone's other worker
    # processes may not have noticed yet, so it is asked until one answers that has.
    for _ in range(40):
        answer = await openstack.http.request(
            "GET",
            session.catalog.url("identity") + f"/v3/projects/{demo.info.project_id}",
            headers={"X-Auth-Token": session.token},
        )
        if answer.status != 200:
            break
    assert (answer.status, message(answer)) == (404, gone)
    assert await refused_session(either_cloud, credentials_of(trusted)) == "AuthorizationFailure"


async def refused_session(cloud: Any, credentials: Credentials) -> str:
    for _ in range(40):
        try:
            session = await cloud.openstack.services.session(credentials)
        except ServiceError as error:
            return error.error_class
        assert session.request is not None
        cloud.openstack.tokens.forget(session.request)
    raise AssertionError("the trust gives tokens though it was deleted")


def self_trust(shown: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    keys = ("trustor_user_id", "trustee_user_id", "project_id", "impersonation")
    roles = [{"id": role["id"]} for role in shown["roles"]]
    return {**{key: shown[key] for key in keys}, "roles": roles, **changes}


async def test_trusts_that_are_refused(either_cloud) -> None:
    demo = await Caller.login(either_cloud, "demo")
    trustee = await either_cloud.openstack.trusts.trustee_id()
    good = {
        "trustor_user_id": demo.info.user_id,
        "trustee_user_id": trustee,
        "project_id": demo.info.project_id,
        "impersonation": True,
        "roles": [{"name": "member"}],
    }
    for changes, status, text in (
        ({"roles": [{"name": "nosuch"}]}, 404, "Role nosuch is not defined"),
        ({"roles": [{"id": "feedfeed"}]}, 404, "Could not find role: feedfeed."),
        ({"roles": [{"name": "admin"}]}, 404, "Could not find role: "),
        ({"roles": []}, 403, "At least one role should be specified."),
        ({"trustee_user_id": "nobody"}, 404, "Could not find user: nobody."),
        ({"trustor_user_id": trustee}, 403, "identity:create_trust."),
    ):
        answer = await demo.ask("POST", "/v3/OS-TRUST/trusts", {"trust": {**good, **changes}})
        assert (answer.status, text in message(answer)) == (status, True), (changes, answer)


async def test_a_project_from_making_to_deleting(either_cloud) -> None:
    admin = await Caller.login(either_cloud, "admin")
    name = fresh("project")
    made = await admin.ask("POST", "/v3/projects", {"project": {"name": name}})
    assert made.status == 201
    project = made.body["project"]
    path = f"/v3/projects/{project['id']}"
    assert set(project) == PROJECT_KEYS
    assert {key: project[key] for key in PROJECT_KEYS - {"id", "links"}} == {
        "name": name,
        "domain_id": "default",
        "description": "",
        "enabled": True,
        "parent_id": "default",
        "is_domain": False,
        "tags": [],
        "options": {},
    }
    try:
        assert (await admin.ask("GET", path)).body == {"project": project}
        found = await admin.ask("GET", "/v3/projects", query={"name": name})
        assert found.body["projects"] == [project]
        assert set(found.body["links"]) == {"next", "self", "previous"}
        twice = await admin.ask("POST", "/v3/projects", {"project": {"name": name}})
        assert twice.status == 409
        assert message(twice).startswith("Conflict occurred attempting to store project - ")
        changes = {"description": "d", "enabled": False, "tags": ["b"], "name": name + "-2"}
        changed = await admin.ask("PATCH", path, {"project": changes})
        assert changed.status == 200
        assert changed.body["project"].items() >= changes.items()
        moved = await admin.ask("PATCH", path, {"project": {"parent_id": None}})
        assert (moved.status, message(moved)) == (403, "Update of `parent_id` is not allowed.")
    finally:
        assert (await admin.ask("DELETE", path)).status == 204
    gone = f"Could not find project: {project['id']}."
    for method, body in (("GET", None), ("PATCH", {"project": {}}), ("DELETE", None)):
        answer = await admin.ask(method, path, body)
        assert (answer.status, message(answer)) == (404, gone), method
    assert (await admin.ask("GET", "/v3/projects", query={"name": name})).body["projects"] == []


async def test_projects_within_projects(either_cloud) -> None:
    admin = await Caller.login(either_cloud, "admin")
    outer = (await admin.ask("POST", "/v3/projects", {"project": {"name": fresh("outer")}})).body[
        "project"
    ]
    body = {"name": fresh("inner"), "parent_id": outer["id"], "tags": ["x"], "enabled": False}
    inner = (await admin.ask("POST", "/v3/projects", {"project": body})).body["project"]
    try:
        assert inner.items() >= body.items()
        found = await admin.ask("GET", "/v3/projects", query={"parent_id": outer["id"]})
        assert [project["id"] for project in found.body["projects"]] == [inner["id"]]
        kept = await admin.ask("DELETE", f"/v3/projects/{outer['id']}")
        assert kept.status == 403
        assert "since it is not a leaf in the hierarchy" in message(kept)
    finally:
        for project in (inner, outer):
            assert (await admin.ask("DELETE", f"/v3/projects/{project['id']}")).status == 204


async def test_projects_that_are_refused(either_cloud) -> None:
    admin = await Caller.login(either_cloud, "admin")
    for project, text in (
        ({"name": ""}, "Invalid input for field/attribute name. Value: . '' should be non-empty"),
        ({}, "Invalid input for field/attribute project. Value: {}. 'name' is a required property"),
        ({"name": "x" * 65}, f"{'x' * 65}' is too long"),
        ({"name": fresh("p"), "domain_id": "nowhere"}, "Could not find domain: nowhere."),
        ({"name": fresh("p"), "parent_id": "nowhere"}, "Could not find project: nowhere."),
    ):
        answer = await admin.ask("POST", "/v3/projects", {"project": project})
        assert (answer.status, text in message(answer)) == (400, True), (project, answer)


async def test_what_a_plain_user_may_not_do_with_projects(either_cloud) -> None:
    demo, alt = await Caller.login(either_cloud, "demo"), await either_cloud.token("alt_demo")
    assert (await demo.ask("GET", f"/v3/projects/{demo.info.project_id}")).status == 200
    for method, path, body, rule in (
        ("GET", "/v3/projects", None, "list_projects"),
        ("POST", "/v3/projects", {"project": {"name": "x"}}, "create_project"),
        ("GET", f"/v3/projects/{alt.project_id}", None, "get_project"),
        ("GET", "/v3/projects/nothing", None, "get_project"),
        ("PATCH", f"/v3/projects/{alt.project_id}", {"project": {}}, "update_project"),
        ("DELETE", f"/v3/projects/{alt.project_id}", None, "delete_project"),
    ):
        answer = await demo.ask(method, path, body)
        text = f"You are not authorized to perform the requested action: identity:{rule}."
        assert (answer.status, message(answer)) == (403, text)


async def test_the_rest(either_cloud) -> None:
    admin = await Caller.login(either_cloud, "admin")
    domains = await admin.ask("GET", "/v3/domains", query={"name": "Default"})
    assert [domain["id"] for domain in domains.body["domains"]] == ["default"]
    assert (await admin.ask("GET", "/v3/domains/default")).body["domain"]["name"] == "Default"
    absent = await admin.ask("GET", "/v3/domains/Default")
    assert (absent.status, message(absent)) == (404, "Could not find domain: Default.")
    roles = await admin.ask("GET", "/v3/roles", query={"name": "member"})
    assert [role["name"] for role in roles.body["roles"]] == ["member"]
    catalog = await admin.ask("GET", "/v3/auth/catalog")
    assert "identity" in {service["type"] for service in catalog.body["catalog"]}
    nowhere = await admin.ask("GET", "/v3/nowhere")
    assert (nowhere.status, nowhere.body[:15]) == (404, "<!doctype html>")
    wrong = await admin.ask("PUT", "/v3/projects", {})
    assert (wrong.status, wrong.body) == (
        405,
        {"message": "The method is not allowed for the requested URL."},
    )
    version = await admin.ask("GET", "/v3/")
    assert version.body["version"]["id"].startswith("v3.")
