"""What heat-trio reads of a heat.conf, and what it does not do with it."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from heat_app.config import ConfigurationProblem, Settings, TokenSettings
from heat_app.config.declaration import Declaration, declarations, is_section
from tests.conftest import ROOT

SOURCES = ROOT / "src"

ELSEWHERE = {
    "oslo_policy": "handed to oslo.policy whole (heat_app.policy)",
    "auth_section": "followed where options are read (heat_app.config.loading)",
}
"""sections and options that are read without being named elsewhere"""


def _options() -> Iterator[tuple[str, Declaration]]:
    defaults = Settings()
    for one in declarations(defaults):
        yield "DEFAULT", one
    for item in fields(defaults):
        section = getattr(defaults, item.name)
        if is_section(section):
            for one in declarations(section):
                yield item.name, one


@pytest.fixture(scope="module")
def names_read() -> set[str]:
    """Every attribute that is read outside of heat_app.config, and every name in a string."""
    found: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        if path.is_relative_to(SOURCES / "heat_app" / "config"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
    return found


def test_what_is_said_to_have_an_effect_is_read(names_read: set[str]) -> None:
    missing = [
        f"[{section}] {one.attribute}"
        for section, one in _options()
        if one.unread is None
        and {section, one.attribute}.isdisjoint(ELSEWHERE)
        and one.attribute not in names_read
    ]
    assert missing == []


def test_what_is_said_to_have_none_is_not_read() -> None:
    unread = {one.attribute for one in declarations(Settings()) if one.unread is not None}
    read = {
        node.attr
        for path in SOURCES.rglob("*.py")
        if not path.is_relative_to(SOURCES / "heat_app" / "config")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name | ast.Attribute)
        and getattr(node.value, "id", getattr(node.value, "attr", "")).endswith("settings")
    }
    assert unread & read == set()


def test_a_file_of_heats_is_read(tmp_path: Path) -> None:
    path = tmp_path / "heat.conf"
    path.write_text(
        "[DEFAULT]\nmax_stacks_per_tenant = 7\nhidden_stack_tags = hidden,data-pipeline\n"
        "num_engine_workers = 3\nsome_other_option = 1\n"
        "[keystone_authtoken]\nauth_url = http://a/v3\nuser-name = heat\npassword = hush\n"
        "www_authenticate_uri = http://b\n[trustee]\nauth_url = http://c/v3\n"
        "[oslo_policy]\npolicy_dirs = a\npolicy_dirs = b\n"
        "[heat_trio]\nlease_ttl = 40\nresume = false\n"
    )
    settings = Settings.load([path])
    assert settings.max_stacks_per_tenant == 7
    assert settings.hidden_stack_tags == ("hidden", "data-pipeline")
    assert settings.num_engine_workers == 3
    assert settings.keystone_authtoken == TokenSettings(
        auth_url="http://a/v3",
        username="heat",
        password="hush",
        www_authenticate_uri="http://b",
    )
    assert settings.trustee.auth_url == "http://c/v3"
    assert settings.oslo_policy.policy_dirs == ("a", "b")
    assert settings.heat_trio.lease_ttl == 40.0
    assert settings.heat_trio.resume is False
    assert settings.config_files == (str(path),)


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "heat.conf"
    path.write_text("")
    assert Settings.load([path]) == Settings(config_files=(str(path),))


def test_wrong_values_are_said(tmp_path: Path) -> None:
    path = tmp_path / "heat.conf"
    path.write_text("[DEFAULT]\ndeferred_auth_method = magic\n")
    with pytest.raises(ConfigurationProblem, match=r"\[DEFAULT\] deferred_auth_method .*magic"):
        Settings.load([path])
    with pytest.raises(ConfigurationProblem, match=r"missing\.conf"):
        Settings.load([tmp_path / "missing.conf"])


def test_secrets_stay_out_of_the_repr() -> None:
    settings = Settings(
        auth_encryption_key="one",
        transport_url="rabbit://u:two@h/",
        keystone_authtoken=TokenSettings(password="three"),
    )
    for secret in ("one'", "two", "three"):
        assert secret not in repr(settings)
