"""heat.conf's options for OpenStack as heat_io.openstack wants them."""

from __future__ import annotations

from heat_app.config import Credentials, Settings
from heat_io.openstack import (
    AuthenticatorSettings,
    OpenStackSettings,
    PasswordLogin,
    ProjectScope,
    ServiceSettings,
    StackDomainSettings,
    ValidatorSettings,
)

__all__ = ["openstack_settings"]


def openstack_settings(settings: Settings) -> OpenStackSettings:
    """How this process reaches OpenStack.

    [keystone_authtoken] is the service's own user; [trustee] is who stacks' trusts are given to,
    the same user when the section is empty. ValueError names an option that is missing.
    """
    own = settings.keystone_authtoken
    login = _login(own, "keystone_authtoken")
    shown = own.www_authenticate_uri or login.auth_url
    interface = settings.clients.endpoint_type or "public"
    identity_interface = settings.clients_keystone.endpoint_type
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
            interfaces={"identity": _interface(identity_interface)} if identity_interface else {},
            region_name=settings.region_name_for_services,
            identity_region_name=own.region_name,
        ),
        trusts_delegated_roles=settings.trusts_delegated_roles,
        allow_trusts_redelegation=settings.allow_trusts_redelegation
        and settings.reauthentication_auth_method == "trusts",
        stack_domain=_stack_domain(settings),
        connect_retries=own.http_request_max_retries,
        ca_file=own.cafile,
        insecure=own.insecure,
    )


def _login(options: Credentials, section: str) -> PasswordLogin:
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
