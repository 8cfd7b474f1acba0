from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fake_keystone import BASE, FakeKeystone

from heat_core.rpc import RequestContext
from heat_io.openstack import (
    OpenStack,
    OpenStackSettings,
    PasswordLogin,
    Refusal,
    ServiceUser,
    TlsOptions,
    assembly,
)
from heat_io.openstack.credentials import ProjectScope


async def test_the_parts_fit_and_ask_nothing_before_they_must(
    cloud, keystone: FakeKeystone
) -> None:
    assert keystone.requests == []
    user = await cloud.token("demo")
    context = await cloud.openstack.authenticator.authenticate({"X-Auth-Token": user.token})
    assert isinstance(context, RequestContext)
    session = await cloud.openstack.services.session(ServiceUser())
    assert session.info is not None
    assert session.info.project_name == "service"
    refusal = await cloud.openstack.authenticator.authenticate({})
    assert isinstance(refusal, Refusal)
    assert ("WWW-Authenticate", f'Keystone uri="{BASE}"') in refusal.headers


async def test_another_trustee(keystone: FakeKeystone) -> None:
    settings = OpenStackSettings(
        login=PasswordLogin(
            auth_url=BASE, username="heat", password="secret", user_domain_id="default"
        ),
        project=ProjectScope(project_name="service", project_domain_id="default"),
        trustee=PasswordLogin(
            auth_url=BASE, username="alt_demo", password="secret", user_domain_id="default"
        ),
        www_authenticate_uri="http://public:5000/v3",
    )
    async with OpenStack.open(settings, transport=keystone.transport()) as openstack:
        assert await openstack.trusts.trustee_id() == keystone.user_id("alt_demo")
        refusal = await openstack.authenticator.authenticate({})
        assert isinstance(refusal, Refusal)
        assert refusal.headers[1][1] == 'Keystone uri="http://public:5000/v3"'


async def test_a_client_for_each_kind_of_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[TlsOptions, float]] = []

    @asynccontextmanager
    async def note(**options: Any) -> AsyncIterator[object]:
        opened.append((options["tls"], options["connect_seconds"]))
        yield object()

    monkeypatch.setattr(assembly.HttpClient, "open", note)
    other = TlsOptions(insecure=True)
    settings = OpenStackSettings(
        login=PasswordLogin(auth_url="http://k/v3", password="p", username="u"),
        project=ProjectScope(project_name="service"),
        connect_seconds=3,
        services_tls=TlsOptions(),
        tls_of_services={"compute": other, "image": TlsOptions(), "network": other},
    )
    async with OpenStack.open(settings) as openstack:
        assert openstack.http is not None
    assert opened == [(TlsOptions(), 3), (TlsOptions(), 10), (other, 10)]
