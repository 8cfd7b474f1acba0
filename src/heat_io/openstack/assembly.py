"""The parts put together, once for a process."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Self

import httpx2

from heat_io.openstack.authenticator import Authenticator, AuthenticatorSettings
from heat_io.openstack.client import CONNECT_SECONDS, HttpClient, TlsOptions
from heat_io.openstack.credentials import PasswordLogin, ProjectScope, TokenRequest
from heat_io.openstack.identity import Identity
from heat_io.openstack.services import ServiceClient, ServiceSettings
from heat_io.openstack.stack_domain import StackDomain, StackDomainSettings
from heat_io.openstack.tokens import Tokens
from heat_io.openstack.trusts import Trusts
from heat_io.openstack.validator import TokenValidator, ValidatorSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStackSettings:
    """How this service reaches OpenStack.

    `login` and `project` are the user and project of [keystone_authtoken], `trustee` the user of
    [trustee] (None: the same user), `www_authenticate_uri` the address shown to clients and given
    to contexts (None: that of `login`). Without `stack_domain` stacks' users live in their owners'
    projects. `connect_retries` is http_request_max_retries. `tls` is for tokens, `services_tls` for
    what is asked of services (None: `tls`), `tls_of_services` (service type -> options) before it.
    """

    login: PasswordLogin
    project: ProjectScope
    trustee: PasswordLogin | None = None
    www_authenticate_uri: str | None = None
    authenticator: AuthenticatorSettings | None = None
    validator: ValidatorSettings = field(default_factory=ValidatorSettings)
    services: ServiceSettings = field(default_factory=ServiceSettings)
    trusts_delegated_roles: tuple[str, ...] = ()
    allow_trusts_redelegation: bool = False
    stack_domain: StackDomainSettings | None = None
    connect_retries: int = 3
    tls: TlsOptions = field(default_factory=TlsOptions)
    connect_seconds: float = CONNECT_SECONDS
    """for tokens: http_connect_timeout of [keystone_authtoken]"""
    services_tls: TlsOptions | None = None
    tls_of_services: Mapping[str, TlsOptions] = field(default_factory=dict)
    max_connections: int = 100


@dataclass(frozen=True, slots=True)
class OpenStack:
    """Everything that speaks to OpenStack in this process, over one HTTP client."""

    http: HttpClient
    tokens: Tokens
    services: ServiceClient
    trusts: Trusts
    stack_domain: StackDomain
    validator: TokenValidator
    authenticator: Authenticator

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: OpenStackSettings, *, transport: httpx2.AsyncBaseTransport | None = None
    ) -> AsyncGenerator[Self]:
        """Open a client for each kind of connection and build on them.

        Nothing is asked of Keystone before it is needed. OSError for a file of certificates that
        can't be used.
        """
        async with AsyncExitStack() as stack:
            opened: dict[tuple[TlsOptions, float], HttpClient] = {}

            async def client(tls: TlsOptions, seconds: float = CONNECT_SECONDS) -> HttpClient:
                if (tls, seconds) not in opened:
                    opened[tls, seconds] = await stack.enter_async_context(
                        HttpClient.open(
                            tls=tls,
                            connect_seconds=seconds,
                            max_connections=settings.max_connections,
                            transport=transport,
                        )
                    )
                return opened[tls, seconds]

            http = await client(settings.tls, settings.connect_seconds)
            services = await client(settings.services_tls or settings.tls)
            clients = {
                service: await client(tls) for service, tls in settings.tls_of_services.items()
            }
            yield cls.build(http, settings, services_http=services, clients=clients)

    @classmethod
    def build(
        cls,
        http: HttpClient,
        settings: OpenStackSettings,
        *,
        services_http: HttpClient | None = None,
        clients: Mapping[str, HttpClient] | None = None,
    ) -> Self:
        """The parts over clients that are open already."""
        identity = Identity(http, retries=settings.connect_retries, jitter=random.random)
        tokens = Tokens(identity)
        own = TokenRequest(settings.login, settings.project)
        trustee = settings.trustee or settings.login
        services = ServiceClient(
            services_http or http,
            tokens,
            service_user=own,
            trustee=trustee,
            settings=settings.services,
            clients=clients,
        )
        trusts = Trusts(
            services,
            tokens,
            trustee=trustee,
            delegated_roles=settings.trusts_delegated_roles,
            allow_redelegation=settings.allow_trusts_redelegation,
        )
        stack_domain = StackDomain(
            services, settings.stack_domain, auth_url=settings.login.auth_url
        )
        validator = TokenValidator(identity, tokens, own, settings.validator)
        uri = settings.www_authenticate_uri or settings.login.auth_url
        authenticator = Authenticator(
            validator,
            settings.authenticator or AuthenticatorSettings(www_authenticate_uri=uri, auth_url=uri),
        )
        return cls(http, tokens, services, trusts, stack_domain, validator, authenticator)
