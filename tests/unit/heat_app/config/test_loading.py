"""Command line, environment and files become settings; what has no effect is named."""

import logging
from pathlib import Path

import pytest

from heat_app.config import Configuration, ConfigurationProblem, read_command_line
from heat_app.config.inventory import inventory


def _read(folder: Path, text: str, *arguments: str) -> Configuration:
    path = folder / "heat.conf"
    path.write_text(text)
    return read_command_line(["--config-file", str(path), *arguments], "heat-engine")


def test_files_environment_and_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    (folder / "20.conf").write_text("[DEFAULT]\nmax_stacks_per_tenant = 3\n")
    (folder / "10.conf").write_text("[DEFAULT]\nmax_stacks_per_tenant = 2\nhost = two\n")
    (folder / "ignored.txt").write_text("nonsense")
    monkeypatch.setenv("OS_HEAT_TRIO__LEASE_TTL", "70")
    made = _read(
        tmp_path,
        "[DEFAULT]\nmax_stacks_per_tenant = 1\nhost = one\nrpc_response_timeout = 9\n"
        "[heat_trio]\nlease_ttl = 1\n",
        "--config-dir",
        str(folder),
        "--debug",
        "--log-file",
        "x.log",
    )
    settings = made.settings
    assert (settings.max_stacks_per_tenant, settings.host) == (3, "two")
    assert settings.rpc_response_timeout == 9
    assert settings.heat_trio.lease_ttl == 70.0
    assert settings.debug is True
    assert made.conf.log_file == "x.log"
    assert settings.config_files == (
        str(tmp_path / "heat.conf"),
        str(folder / "10.conf"),
        str(folder / "20.conf"),
    )


def test_what_is_set_without_effect_is_named_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = _read(
        tmp_path,
        "[DEFAULT]\nconvergence_engine = true\nmax_stacks_per_tenant = 3\n"
        "[cache]\nenabled = true\nmemcache_password = hush\n[trustee]\nsystem_scope = all\n",
    )
    made.announce()
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    ours = [text for text in warnings if "does not use it" in text]
    assert [text.partition(" is set but heat-trio does not use it: ")[0] for text in ours] == [
        "[DEFAULT] convergence_engine",
        "[cache] enabled",
        "[cache] password",
        "[trustee] system_scope",
    ]
    assert "hush" not in caplog.text
    assert all(record.levelno == logging.WARNING for record in caplog.records)


def test_every_option_without_effect_can_be_set_and_is_named(tmp_path: Path) -> None:
    """Each to its default, or to a value of its kind: none of them stops the start."""
    texts = {"integer": "7", "float": "7", "boolean": "true", "uri": "http://x/"}
    unread = [entry for entry in inventory() if entry.unread is not None]
    lines: dict[str, list[str]] = {}
    for entry in unread:
        kind = type(entry.option.type).__name__.lower()
        value = entry.option.default
        if value in (None, [], {}, ""):
            value = texts.get(kind, {"list": "1", "dict": "a:b"}.get(kind, "some"))
            pattern = getattr(entry.option.type, "regex", None)
            if pattern is not None:
                value = pattern.pattern.strip("^$").replace(r"\.\d+", ".5")
            if entry.option.dest == "allowed_auth_uris":
                value = "http://x/"
            if getattr(entry.option.type, "choices", None):
                value = next(one for one in entry.option.type.choices if one)
        if isinstance(value, list):
            value = ",".join(value)
        lines.setdefault(entry.section, []).append(f"{entry.option.dest} = {value}")
    text = "".join(f"[{name}]\n" + "\n".join(options) + "\n" for name, options in lines.items())
    ignored = _read(tmp_path, text).ignored
    assert [one.partition(" is set")[0] for one in ignored] == [
        f"[{entry.section}] {entry.option.dest}" for entry in unread
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[DEFAULT]\nmax_stacks_per_tenant = many\n", r"\[DEFAULT\] max_stacks_per_tenant .*many"),
        ("[heat_trio]\nlease_ttl = 0\n", r"\[heat_trio\] lease_ttl .*greater than or equal to 0.2"),
        ("[heat_trio]\nlease_ttl = 9\n", "lease_ttl = 9 is too short"),
        ("[heat_trio]\nheartbeat_interval = 8\n", "lease_ttl = 15 is too short"),
        ("[heat_trio]\nnodes_in_flight = 0\n", r"\[heat_trio\] nodes_in_flight "),
        ("[heat_trio]\nmetrics_port = 70000\n", r"\[heat_trio\] metrics_port "),
        ("[clients]\nendpoint_type = there\n", r"\[clients\] endpoint_type .*'there'"),
        ("[cache]\nredis_db = large\n", r"\[cache\] redis_db .*large"),
        ("[DEFAULT]\ndebug = perhaps\n", "wrong value: --debug: .*perhaps"),
        ("[DEFAULT\n", "heat.conf:1"),
    ],
)
def test_wrong_values_are_said_with_their_option(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigurationProblem, match=said):
        _read(tmp_path, text)


def test_half_a_password_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationProblem, match=r"\[keystone_authtoken\] password") as raised:
        _read(tmp_path, "[keystone_authtoken]\npassword = pa$hush\n")
    assert "hush" not in str(raised.value)
    assert "write two" in str(raised.value)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(ConfigurationProblem, match=r"/none/heat\.conf"):
        read_command_line(["--config-file", "/none/heat.conf"], "heat-engine")
    with pytest.raises(ConfigurationProblem, match="/none"):
        read_command_line(["--config-dir", "/none"], "heat-engine")


def test_credentials_may_stand_in_another_section(tmp_path: Path) -> None:
    settings = _read(
        tmp_path,
        "[trustee]\nauth_section = shared\nusername = mine\n"
        "[keystone_authtoken]\nauth_section = shared\nregion_name = R\n"
        "[shared]\nauth_type = password\nauth_url = http://k\nuser_name = heat\npassword = p\n",
    ).settings
    for section in (settings.trustee, settings.keystone_authtoken):
        assert (section.auth_url, section.username, section.password) == ("http://k", "heat", "p")
        assert section.auth_section == "shared"
    assert settings.keystone_authtoken.region_name == "R"


@pytest.mark.parametrize("arguments", [["--nonsense"], ["--config-file"]])
def test_arguments_that_are_none_end_the_process(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read_command_line(arguments, "heat-engine")
    assert ended.value.code == 2
    assert "usage: heat-engine" in capsys.readouterr().err
