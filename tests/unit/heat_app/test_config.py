"""Options have Heat's names, defaults and types; files written for Heat are read as by Heat."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from oslo_config import cfg

from heat_app.config import Settings, TokenSettings

OURS = {"heat_trio", "heat_api", "heat_api_cfn"}
"""Sections that Heat 27.0.1 has no options in."""

DIFFERENT = {
    # Heat's processes set it themselves before reading the file.
    "DEFAULT/control_exchange": "heat",
    "DEFAULT/default_log_levels": (),
}
FROM_A_PLUGIN = {"keystone_authtoken", "clients", "clients_keystone"}


def _options(section: Any, name: str) -> dict[str, Any]:
    return {
        f"{name}/{item.name}": getattr(section, item.name)
        for item in fields(section)
        if not item.metadata.get("internal")
        and not hasattr(getattr(section, item.name), "__dataclass_fields__")
    }


def test_defaults_are_heats(shared: Path) -> None:
    sections = json.loads((shared / "facts" / "config.json").read_text())["sections"]
    settings = Settings(host="<hostname>")
    ours = _options(settings, "DEFAULT")
    for item in fields(settings):
        section = getattr(settings, item.name)
        if hasattr(section, "__dataclass_fields__") and item.name not in OURS:
            ours |= _options(section, item.name)
    compared = 0
    for name, value in ours.items():
        group, option = name.split("/")
        # A file spells the dashes in Heat's names as underscores.
        recorded = sections[group].get(option) or sections[group].get(option.replace("_", "-"))
        if recorded is None:
            assert group in FROM_A_PLUGIN, f"Heat has no option {name}"
            continue
        default = recorded.get("default")
        expected = tuple(default) if isinstance(default, list) else default
        assert value == DIFFERENT.get(name, expected), name
        assert ("secret" in recorded) == (
            name.rpartition("/")[2]
            in {
                "auth_encryption_key",
                "stack_domain_admin_password",
                "transport_url",
                "connection",
                "password",
            }
        ), name
        compared += 1
    assert compared > 80


def test_a_file_of_heats_is_read(tmp_path: Path) -> None:
    path = tmp_path / "heat.conf"
    path.write_text(
        "[DEFAULT]\nmax_stacks_per_tenant = 7\nhidden_stack_tags = hidden,data-pipeline\n"
        "num_engine_workers = 3\nlogdir = /var/log/heat\nsome_other_option = 1\n"
        "[keystone_authtoken]\nauth_url = http://a/v3\nuser-name = heat\npassword = hush\n"
        "auth_uri = http://b\n[trustee]\nauth_url = http://c/v3\n"
        "[oslo_policy]\npolicy_dirs = a\npolicy_dirs = b\n"
        "[heat_trio]\nlease_ttl = 4\nresume = false\n"
    )
    settings = Settings.load([path])
    assert settings.max_stacks_per_tenant == 7
    assert settings.hidden_stack_tags == ("hidden", "data-pipeline")
    assert settings.num_engine_workers == 3
    assert settings.log_dir == "/var/log/heat"
    assert settings.keystone_authtoken == TokenSettings(
        auth_url="http://a/v3",
        username="heat",
        password="hush",
        www_authenticate_uri="http://b",
    )
    assert settings.trustee.auth_url == "http://c/v3"
    assert settings.oslo_policy.policy_dirs == ("a", "b")
    assert settings.heat_trio.lease_ttl == 4.0
    assert settings.heat_trio.resume is False
    assert settings.config_files == (str(path),)


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "heat.conf"
    path.write_text("")
    assert Settings.load([path]) == Settings(config_files=(str(path),))


def test_wrong_values_are_said(tmp_path: Path) -> None:
    path = tmp_path / "heat.conf"
    path.write_text("[DEFAULT]\ndeferred_auth_method = magic\n")
    with pytest.raises(cfg.Error, match="magic"):
        Settings.load([path])
    with pytest.raises(cfg.Error):
        Settings.load([tmp_path / "missing.conf"])


def test_secrets_stay_out_of_the_repr() -> None:
    settings = Settings(
        auth_encryption_key="one",
        transport_url="rabbit://u:two@h/",
        keystone_authtoken=TokenSettings(password="three"),
    )
    for secret in ("one'", "two", "three"):
        assert secret not in repr(settings)
