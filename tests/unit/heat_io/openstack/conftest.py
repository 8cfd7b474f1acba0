"""Clouds for these tests: the fake Keystone, and a real one where it answers."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from heat_io.openstack import (
    OpenStack,
    OpenStackSettings,
    PasswordLogin,
    ProjectScope,
    StackDomainSettings,
    TokenInfo,
    TokenRequest,
)

sys.path.insert(0, str(Path(__file__).parent))

from fake_keystone import BASE, FakeKeystone

REAL = os.environ.get("HEAT_TRIO_TEST_KEYSTONE") or "http://127.0.0.1:15000/v3"


def login(auth_url: str, name: str, password: str = "secret") -> PasswordLogin:
    return PasswordLogin(
        auth_url=auth_url, username=name, password=password, user_domain_id="default"
    )


def settings_for(auth_url: str, **more: object) -> OpenStackSettings:
    return OpenStackSettings(
        login=login(auth_url, "heat"),
        project=ProjectScope(project_name="service", project_domain_id="default"),
        stack_domain=StackDomainSettings(
            domain_name="heat", admin="heat_domain_admin", admin_password="secret"
        ),
        **more,  # type: ignore[arg-type] - the test names options of the dataclass
    )


@dataclass
class Cloud:
    """A Keystone and our side of it; `fake` is None for a real one."""

    auth_url: str
    openstack: OpenStack
    fake: FakeKeystone | None = None

    def request(self, name: str, project: str | None = None, password: str = "secret"):
        scope = ProjectScope(project_name=project or name, project_domain_id="default")
        return TokenRequest(login(self.auth_url, name, password), scope)

    async def token(self, name: str, project: str | None = None) -> TokenInfo:
        return await self.openstack.tokens.get(self.request(name, project))


@pytest.fixture
def keystone() -> FakeKeystone:
    return FakeKeystone()


@pytest.fixture
async def cloud(keystone: FakeKeystone) -> AsyncIterator[Cloud]:
    async with OpenStack.open(settings_for(BASE), transport=keystone.transport()) as openstack:
        yield Cloud(BASE, openstack, keystone)


@pytest.fixture
def real_url() -> str:
    """The v3 address of a real Keystone with reference/up's users."""
    parts = urlsplit(REAL)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 5000), timeout=3).close()
    except OSError as error:
        if os.environ.get("CI") == "true" and os.environ.get("HEAT_TRIO_TEST_KEYSTONE"):
            pytest.fail(f"not run: no Keystone answers at {REAL}: {error}")
        pytest.skip(f"not run: no Keystone answers at {REAL} (HEAT_TRIO_TEST_KEYSTONE)")
    return REAL


@pytest.fixture(params=["fake", "real"])
def either_keystone(request: pytest.FixtureRequest) -> FakeKeystone | str:
    """The fake, or a real one's address; chosen outside of Trio, where a test can be left out."""
    return FakeKeystone() if request.param == "fake" else str(request.getfixturevalue("real_url"))


@pytest.fixture
async def either_cloud(either_keystone: FakeKeystone | str) -> AsyncIterator[Cloud]:
    """The same test on the fake and on a real Keystone."""
    if isinstance(either_keystone, str):
        async with OpenStack.open(settings_for(either_keystone)) as openstack:
            yield Cloud(either_keystone, openstack)
    else:
        transport = either_keystone.transport()
        async with OpenStack.open(settings_for(BASE), transport=transport) as openstack:
            yield Cloud(BASE, openstack, either_keystone)
