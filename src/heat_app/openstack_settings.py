"""heat.conf's options for OpenStack as heat_io.openstack wants them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from heat_app.config import ClientSettings, Credentials, Settings
from heat_io.openstack import (
    AuthenticatorSettings,
    OpenStackSettings,
    PasswordLogin,
    ProjectScope,
    ServiceSettings,
    StackDomainSettings,
    TlsOptions,
    ValidatorSettings,
)
from heat_io.openstack.client import CONNECT_SECONDS

__all__ = ["openstack_settings"]

LEAST_RETRIES: Final = 4
"""however small client_retry_limit is: a service that restarts is no reason to fail a stack"""

PASSWORD_TYPES: Final = (None, "password", "v3password")

SERVICES_OF_CLIENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "clients_aodh": ("alarming",),
    "clients_barbican": ("key-manager",),
    "clients_cinder": ("volumev3",),
    "clients_designate": ("dns",),
    "clients_glance": ("image",),
    "clients_heat": ("orchestration", "cloudformation"),
    "clients_keystone": ("identity",),
    "clients_magnum": ("container-infra",),
    "clients_manila": ("sharev2",),
    "clients_mistral": ("workflowv2",),
    "clients_neutron": ("network",),
    "clients_nova": ("compute",),
    "clients_octavia": ("load-balancer",),
    "clients_swift": ("object-store",),
    "clients_trove": ("database",),
    "clients_zaqar": ("messaging",),
}
"""section -> the types of the services that it is about (facts/client-plugins.json)"""


def openstack_settings(settings: Settings) -> OpenStackSettings:
    """How this process reaches OpenStack.

    [keystone_authtoken] is the service's own user; [trustee] is who stacks' trusts are given to,
    the same user when the section is empty. ValueError names an option that is missing.
    """
    own = settings.keystone_authtoken
    login = _login(own, "keystone_authtoken")
    shown = own.www_authenticate_uri or login.auth_url
    interface = settings.clients.endpoint_type or "public"
    own_tls = TlsOptions(own.cafile, own.certfile, own.keyfile, own.insecure)
    services_tls = _tls(settings, settings.clients) or own_tls
    tls = services_tls if own_tls == TlsOptions() else own_tls
    for options in {tls, services_tls, *_tls_of_services(settings).values()}:
        _check(options)
    return OpenStackSettings(
        login=login,
        project=ProjectScope(
            project_id=own.project_id,
            project_name=own.project_name,
            project_domain_id=own.project_domain_id,
            project_domain_name=own.project_domain_name,
        ),
        trustee=_login(settings.trustee, "trustee") if settings.trustee.auth_url else None,
        www_authenticate_uri=shown,
        authenticator=AuthenticatorSettings(
            www_authenticate_uri=shown,
            auth_url=settings.clients_keystone.auth_uri or shown,
            service_token_roles=own.service_token_roles,
            service_token_roles_required=own.service_token_roles_required,
        ),
        validator=ValidatorSettings(
            interface=_interface(own.interface),
            region_name=own.region_name,
            include_service_catalog=own.include_service_catalog,
            token_cache_time=own.token_cache_time,
        ),
        services=ServiceSettings(
            interface=_interface(interface),
            interfaces=_interfaces(settings),
            region_name=settings.region_name_for_services,
            regions=_shared_regions(settings),
            identity_region_name=own.region_name,
            retries=max(settings.client_retry_limit, LEAST_RETRIES),
        ),
        trusts_delegated_roles=settings.trusts_delegated_roles,
        allow_trusts_redelegation=settings.allow_trusts_redelegation
        and settings.reauthentication_auth_method == "trusts",
        stack_domain=_stack_domain(settings),
        connect_retries=own.http_request_max_retries,
        tls=tls,
        connect_seconds=own.http_connect_timeout or CONNECT_SECONDS,
        services_tls=services_tls,
        tls_of_services=_tls_of_services(settings),
    )


def _interfaces(settings: Settings) -> dict[str, str]:
    """Service type -> interface, where a section of its own says which."""
    chosen = {
        service: getattr(settings, section).endpoint_type
        for section, services in SERVICES_OF_CLIENTS.items()
        for service in services
    }
    return {service: _interface(name) for service, name in chosen.items() if name}


def _tls(settings: Settings, section: ClientSettings) -> TlsOptions | None:
    """What the section says, with [clients] for what it leaves out; None where neither does."""
    both = (section, settings.clients)

    def first(name: str) -> Any:
        return next((value for one in both if (value := getattr(one, name)) is not None), None)

    options = TlsOptions(
        ca_file=first("ca_file"),
        cert_file=first("cert_file"),
        key_file=first("key_file"),
        insecure=bool(first("insecure")),
    )
    return None if options == TlsOptions() else options


def _tls_of_services(settings: Settings) -> dict[str, TlsOptions]:
    """Service type -> options, where the service's own section says something."""
    return {
        service: _tls(settings, section) or TlsOptions()
        for name, services in SERVICES_OF_CLIENTS.items()
        if _has_tls(section := getattr(settings, name))
        for service in services
    }


def _has_tls(section: ClientSettings) -> bool:
    files = (section.ca_file, section.cert_file, section.key_file)
    return section.insecure is not None or any(files)


def _check(options: TlsOptions) -> None:
    try:
        options.verification()
    except OSError as error:
        files = (options.ca_file, options.cert_file, options.key_file)
        named = ", ".join(name for name in files if name)
        raise ValueError(f"TLS to OpenStack can't be had with {named}: {error}") from error


def _shared_regions(settings: Settings) -> dict[str, str]:
    region = settings.region_name_for_shared_services
    return dict.fromkeys(settings.shared_services_types, region) if region else {}


def _login(options: Credentials, section: str) -> PasswordLogin:
    if options.auth_type not in PASSWORD_TYPES:
        raise ValueError(
            f"[{section}] auth_type is {options.auth_type}: heat-trio logs in with a "
            "password only. "
            "Write auth_type = password, with username (or user_id), password and their domain."
        )
    for name in ("auth_url", "password"):
        if not getattr(options, name):
            raise ValueError(f"[{section}] {name} is not set")
    if not (options.user_id or options.username):
        raise ValueError(f"[{section}] username is not set")
    return PasswordLogin(
        auth_url=options.auth_url or "",
        password=options.password or "",
        user_id=options.user_id,
        username=options.username,
        user_domain_id=options.user_domain_id,
        user_domain_name=options.user_domain_name,
    )


def _stack_domain(settings: Settings) -> StackDomainSettings | None:
    if not settings.stack_domain_admin or not (
        settings.stack_user_domain_id or settings.stack_user_domain_name
    ):
        return None
    return StackDomainSettings(
        domain_id=settings.stack_user_domain_id,
        domain_name=settings.stack_user_domain_name,
        admin=settings.stack_domain_admin,
        admin_password=settings.stack_domain_admin_password or "",
    )


def _interface(name: str) -> str:
    """ "public" for "publicURL" as well."""
    return name.removesuffix("URL")
