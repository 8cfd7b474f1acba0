from __future__ import annotations

import uuid

import httpx2
import pytest
from fake_keystone import BASE, Answer, FakeKeystone

from heat_core.errors import AuthorizationFailure
from heat_core.procedure import HttpCall, ServiceError
from heat_io.openstack import (
    DomainScope,
    Password,
    PasswordLogin,
    StackDomain,
    StackDomainSettings,
    TokenRequest,
    stack_domain,
)
from heat_io.openstack.stack_domain import project_name

OWNER = "b368476b4d0e4e209bc6c2433f53a88d"


def make(cloud, **changes: str | None) -> StackDomain:
    options = {"domain_name": "heat", "admin": "heat_domain_admin", "admin_password": "secret"}
    settings = StackDomainSettings(**{**options, **changes})  # type: ignore[arg-type] - as named
    assert "secret" not in repr(settings)
    return StackDomain(cloud.openstack.services, settings, auth_url=cloud.auth_url)


async def test_a_project_from_making_to_deleting(either_cloud) -> None:
    domain, stack_id = make(either_cloud), str(uuid.uuid4())
    project_id = await domain.create_project(OWNER, stack_id)
    try:
        admin = Password(
            TokenRequest(
                PasswordLogin(
                    auth_url=either_cloud.auth_url,
                    username="heat_domain_admin",
                    password="secret",
                    user_domain_name="heat",
                ),
                DomainScope(domain_name="heat"),
            )
        )
        services = either_cloud.openstack.services
        call = HttpCall("GET", "identity", f"/v3/projects/{project_id}")
        project = (await services.send(admin, call)).body["project"]
        session = await services.session(admin)
        assert session.info is not None
        assert project["domain_id"] == session.info.domain_id
        assert project["name"] == f"{OWNER}-{stack_id}"[:64]
        assert project["description"] == "Heat stack user project"
        assert await domain.create_project(OWNER, stack_id) == project_id, "an earlier try's"
    finally:
        await domain.delete_project(project_id)
    await domain.delete_project(project_id)


async def test_the_domain_by_its_id(cloud, keystone: FakeKeystone) -> None:
    domain = make(cloud, domain_id=keystone.heat_domain, domain_name="ignored")
    project_id = await domain.create_project(OWNER, "s")
    assert keystone.projects[project_id]["domain_id"] == keystone.heat_domain


async def test_without_a_stack_domain_the_owners_project_serves(
    cloud, keystone: FakeKeystone
) -> None:
    domain = StackDomain(cloud.openstack.services, None, auth_url=BASE)
    assert await domain.create_project(OWNER, "s") == OWNER
    await domain.delete_project(OWNER)
    assert keystone.requests == []


async def test_an_answer_that_was_lost_left_a_project(cloud, keystone: FakeKeystone) -> None:
    async def do_it_and_break(asked: object) -> Answer:
        keystone.handle(asked)  # type: ignore[arg-type] - the fake's own request
        raise httpx2.ReadError("broken")

    keystone.script("POST", "/v3/projects", do_it_and_break)
    project_id = await make(cloud).create_project(OWNER, "s")
    assert keystone.projects[project_id]["name"] == f"{OWNER}-s"
    assert keystone.count("POST", "/v3/projects") == 1


async def test_a_failure_that_left_nothing_comes_through(cloud, keystone: FakeKeystone) -> None:
    keystone.script("POST", "/v3/projects", Answer(500), Answer(403))
    for status in (500, 403):
        with pytest.raises(ServiceError) as failure:
            await make(cloud).create_project(OWNER, "s")
        assert failure.value.status == status


async def test_an_administrator_who_cannot_log_in(cloud) -> None:
    domain = make(cloud, admin_password="wrong")
    for work in (domain.create_project(OWNER, "s"), domain.delete_project("p")):
        with pytest.raises(AuthorizationFailure) as failure:
            await work
        assert str(failure.value) == "Authorization failed."


async def test_a_keystone_that_fails_is_not_a_wrong_password(cloud, keystone: FakeKeystone) -> None:
    keystone.script("POST", "/v3/auth/tokens", Answer(500))
    with pytest.raises(ServiceError):
        await make(cloud).create_project(OWNER, "s")


async def test_projects_outside_the_domain_stay(cloud, keystone: FakeKeystone) -> None:
    domain = make(cloud)
    await domain.delete_project(keystone.project_id("demo"))
    keystone.script("GET", "/v3/projects/hidden", Answer(403))
    await domain.delete_project("hidden")
    assert keystone.count("DELETE", "/v3/projects") == 0


async def test_a_project_that_was_looked_at_is_deleted_at_once(
    cloud, keystone: FakeKeystone
) -> None:
    domain = make(cloud)
    project_id = await domain.create_project(OWNER, "s")
    await domain.look_at(project_id)
    await domain.look_at(keystone.project_id("demo"))
    looks = keystone.count("GET", "/v3/projects")
    await domain.delete_project(project_id)
    assert project_id not in keystone.projects
    assert keystone.count("GET", "/v3/projects") == looks
    await domain.delete_project(keystone.project_id("demo"))
    assert keystone.count("DELETE", "/v3/projects") == 1, "that is not the domain's"


async def test_few_projects_are_remembered(
    cloud, keystone: FakeKeystone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack_domain, "_SEEN", 2)
    domain = make(cloud)
    made = [await domain.create_project(OWNER, f"s{number}") for number in range(3)]
    for project_id in made:
        await domain.look_at(project_id)
    looks = keystone.count("GET", "/v3/projects")
    for project_id in made:
        await domain.delete_project(project_id)
    assert keystone.count("GET", "/v3/projects") == looks + 2


async def test_a_project_that_goes_away_in_between(cloud, keystone: FakeKeystone) -> None:
    domain = make(cloud)
    project_id = await domain.create_project(OWNER, "s")
    keystone.script("DELETE", "/v3/projects", Answer(404))
    await domain.delete_project(project_id)


def test_the_name_fits() -> None:
    name = project_name(OWNER, "4d3f1a2b-0000-4000-8000-000000000000")
    assert (len(name), name[:33]) == (64, OWNER + "-")
