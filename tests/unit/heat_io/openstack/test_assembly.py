from __future__ import annotations

from fake_keystone import BASE, FakeKeystone

from heat_core.rpc import RequestContext
from heat_io.openstack import OpenStack, OpenStackSettings, PasswordLogin, Refusal, ServiceUser
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
