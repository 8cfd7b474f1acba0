"""heat.conf's options end up where the OpenStack clients look for them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from heat_app.config import (
    ClientSettings,
    Credentials,
    IdentityClientSettings,
    Settings,
    TokenSettings,
)
from heat_app.openstack_settings import SERVICES_OF_CLIENTS, openstack_settings
from heat_io.openstack import TlsOptions
from tests.certificates import Certificates

TOKENS = TokenSettings(
    auth_url="http://k/v3",
    username="heat",
    password="p",
    user_domain_id="default",
    project_name="service",
    project_domain_id="default",
    region_name="R1",
    www_authenticate_uri="http://shown",
)
SETTINGS = Settings(keystone_authtoken=TOKENS)


def test_the_services_own_user() -> None:
    made = openstack_settings(SETTINGS)
    assert (made.login.auth_url, made.login.username) == ("http://k/v3", "heat")
    assert made.login.password == "p"
    assert (made.project.project_name, made.project.project_domain_id) == ("service", "default")
    assert made.www_authenticate_uri == "http://shown"
    assert made.authenticator is not None
    assert made.authenticator.www_authenticate_uri == "http://shown"
    assert made.validator.region_name == "R1"
    assert made.services.identity_region_name == "R1"


def test_without_a_trustee_it_is_the_same_user() -> None:
    assert openstack_settings(SETTINGS).trustee is None
    trustee = Credentials(auth_url="http://t/v3", user_id="u", password="q")
    made = openstack_settings(replace(SETTINGS, trustee=trustee))
    assert made.trustee is not None
    assert (made.trustee.user_id, made.trustee.password) == ("u", "q")


def test_interfaces_are_read_in_both_spellings() -> None:
    made = openstack_settings(
        replace(
            SETTINGS,
            clients=ClientSettings(endpoint_type="internalURL"),
            clients_keystone=IdentityClientSettings(endpoint_type="adminURL"),
            clients_heat=ClientSettings(endpoint_type="public"),
        )
    )
    assert made.services.interface == "internal"
    assert made.services.interfaces == {
        "identity": "admin",
        "orchestration": "public",
        "cloudformation": "public",
    }


def test_every_client_with_a_section_has_its_service_types(shared: Path) -> None:
    plugins = json.loads((shared / "facts" / "client-plugins.json").read_text())["plugins"]
    assert {
        plugin["config_section"]: tuple(plugin["service_types"])
        for plugin in plugins.values()
        if plugin["config_section"]
    } == SERVICES_OF_CLIENTS


def test_shared_services_have_a_region_of_their_own() -> None:
    assert openstack_settings(SETTINGS).services.regions == {}
    shared = replace(SETTINGS, region_name_for_shared_services="S")
    assert openstack_settings(shared).services.regions == {"image": "S", "volumev3": "S"}


def test_retries_may_be_raised() -> None:
    assert openstack_settings(SETTINGS).services.retries == 4
    assert openstack_settings(replace(SETTINGS, client_retry_limit=9)).services.retries == 9


def test_only_passwords_log_in() -> None:
    tokens = replace(TOKENS, auth_type="v3applicationcredential")
    with pytest.raises(ValueError, match=r"\[keystone_authtoken\] auth_type is v3applicationcred"):
        openstack_settings(replace(SETTINGS, keystone_authtoken=tokens))
    password = replace(TOKENS, auth_type="v3password")
    assert openstack_settings(replace(SETTINGS, keystone_authtoken=password)).login.password == "p"


def test_the_stack_domain_needs_a_name_and_an_administrator() -> None:
    assert openstack_settings(SETTINGS).stack_domain is None
    named = replace(SETTINGS, stack_user_domain_name="heat")
    assert openstack_settings(named).stack_domain is None
    whole = replace(named, stack_domain_admin="boss", stack_domain_admin_password="b")
    domain = openstack_settings(whole).stack_domain
    assert domain is not None
    assert (domain.domain_name, domain.admin, domain.admin_password) == ("heat", "boss", "b")


def test_redelegation_needs_both_options() -> None:
    assert not openstack_settings(
        replace(SETTINGS, allow_trusts_redelegation=True)
    ).allow_trusts_redelegation
    assert openstack_settings(
        replace(SETTINGS, allow_trusts_redelegation=True, reauthentication_auth_method="trusts")
    ).allow_trusts_redelegation


@pytest.mark.parametrize("missing", ["auth_url", "username", "password"])
def test_a_missing_option_is_named(missing: str) -> None:
    settings = replace(SETTINGS, keystone_authtoken=replace(TOKENS, **{missing: None}))
    with pytest.raises(ValueError, match=rf"\[keystone_authtoken\] {missing} is not set"):
        openstack_settings(settings)


def test_without_files_the_system_is_believed() -> None:
    made = openstack_settings(SETTINGS)
    assert (made.tls, made.services_tls, made.tls_of_services) == (TlsOptions(), TlsOptions(), {})


def test_certificates_for_tokens_and_for_services(tmp_path: Path) -> None:
    files = Certificates.made(tmp_path)
    ca, cert, key = map(str, (files.ca, files.cert, files.key))
    made = openstack_settings(
        replace(
            SETTINGS,
            keystone_authtoken=replace(TOKENS, cafile=ca, certfile=cert, keyfile=key),
            clients=ClientSettings(ca_file=ca),
            clients_nova=ClientSettings(cert_file=cert, key_file=key),
            clients_heat=ClientSettings(insecure=True),
        )
    )
    assert made.tls == TlsOptions(ca, cert, key)
    assert made.services_tls == TlsOptions(ca)
    assert made.tls_of_services == {
        "compute": TlsOptions(ca, cert, key),
        "orchestration": TlsOptions(ca, insecure=True),
        "cloudformation": TlsOptions(ca, insecure=True),
    }


def test_either_of_both_stands_in_for_the_other(tmp_path: Path) -> None:
    ca = str(Certificates.made(tmp_path).ca)
    tokens = openstack_settings(replace(SETTINGS, keystone_authtoken=replace(TOKENS, cafile=ca)))
    assert (tokens.tls, tokens.services_tls) == (TlsOptions(ca), TlsOptions(ca))
    services = openstack_settings(replace(SETTINGS, clients=ClientSettings(ca_file=ca)))
    assert (services.tls, services.services_tls) == (TlsOptions(ca), TlsOptions(ca))


def test_a_file_that_is_not_there_is_said() -> None:
    settings = replace(SETTINGS, clients_nova=ClientSettings(ca_file="/none/ca.pem"))
    with pytest.raises(ValueError, match=r"TLS to OpenStack can't be had with /none/ca\.pem"):
        openstack_settings(settings)


def test_how_long_a_connection_to_keystone_may_take() -> None:
    assert openstack_settings(SETTINGS).connect_seconds == 10
    patient = replace(SETTINGS, keystone_authtoken=replace(TOKENS, http_connect_timeout=33))
    assert openstack_settings(patient).connect_seconds == 33
