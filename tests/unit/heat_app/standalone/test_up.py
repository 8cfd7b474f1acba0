"""`heat-trio up` as a process: real Keystone, real requests, real signals."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest


class _Up:
    """A running `heat-trio up` on ports of its own choice."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "heat_app.cli", "up", "--data", str(folder), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: dict[str, str] = {}
        self.lines: list[str] = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            name, _, value = line.strip().partition(" ")
            self.said.setdefault(name, value.strip())
            if line.startswith("Ctrl-C"):
                return
        raise AssertionError(f"it did not start: {self.process.communicate()[1]}")

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=10)
        return self.process.returncode


PORTS = ("--port", "0", "--keystone-port", "0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("up") / "data"


@pytest.fixture(scope="module")
def up(folder: Path) -> Iterator[_Up]:
    running = _Up(folder, *PORTS)
    yield running
    running.process.kill()
    running.process.communicate()


def _login(
    up: _Up, user: str, password: str, scope: dict[str, Any], domain: str = "Default"
) -> Any:
    answer = httpx2.post(
        f"{up.said['Keystone']}/auth/tokens",
        json={
            "auth": {
                "identity": {
                    "methods": ["password"],
                    "password": {
                        "user": {"name": user, "domain": {"name": domain}, "password": password}
                    },
                },
                "scope": scope,
            }
        },
        timeout=30,
        trust_env=False,
    )
    assert answer.status_code == 201, answer.text
    return answer


def _project(name: str) -> dict[str, Any]:
    return {"project": {"name": name, "domain": {"id": "default"}}}


def _passwords(folder: Path) -> dict[str, str]:
    passwords: dict[str, str] = json.loads((folder / "secrets.json").read_text())["passwords"]
    return passwords


@pytest.mark.parametrize(
    ("user", "project", "roles"),
    [
        ("demo", "demo", {"member", "reader", "heat_stack_owner"}),
        ("alt_demo", "alt_demo", {"member", "reader", "heat_stack_owner"}),
        ("demo_reader", "demo", {"reader"}),
        ("admin", "admin", {"admin", "manager", "member", "reader"}),
        ("admin", "demo", {"admin", "manager", "member", "reader"}),
        ("heat", "service", {"admin", "manager", "member", "reader", "service"}),
    ],
)
def test_people_and_their_roles(
    up: _Up, folder: Path, user: str, project: str, roles: set[str]
) -> None:
    answer = _login(up, user, _passwords(folder)[user], _project(project))
    assert {role["name"] for role in answer.json()["token"]["roles"]} == roles


def test_the_stack_domain_and_its_admin(up: _Up, folder: Path) -> None:
    password = _passwords(folder)["heat_domain_admin"]
    scope = {"domain": {"name": "heat"}}
    answer = _login(up, "heat_domain_admin", password, scope, domain="heat")
    assert "admin" in {role["name"] for role in answer.json()["token"]["roles"]}


def test_the_catalog(up: _Up, folder: Path) -> None:
    token = _login(up, "demo", _passwords(folder)["demo"], _project("demo")).json()["token"]
    urls = {
        (service["type"], endpoint["interface"]): endpoint["url"]
        for service in token["catalog"]
        for endpoint in service["endpoints"]
        if endpoint["region"] == "RegionOne"
    }
    heat = f"{up.said['Heat']}/{token['project']['id']}"
    keystone = up.said["Keystone"]
    faces = ("public", "internal", "admin")
    assert urls == {("orchestration", face): heat for face in faces} | {
        ("identity", face): keystone for face in faces
    }


def test_the_api_answers(up: _Up, folder: Path) -> None:
    with httpx2.Client(trust_env=False, timeout=30) as http:
        assert http.get(up.said["Heat"].removesuffix("/v1")).status_code == 300
        login = _login(up, "demo", _passwords(folder)["demo"], _project("demo"))
        project = login.json()["token"]["project"]["id"]
        refused = http.get(f"{up.said['Heat']}/{project}/stacks")
        assert refused.status_code == 401
        assert refused.headers["WWW-Authenticate"].startswith("Keystone uri=")


def test_clients_get_exports_and_a_clouds_yaml(up: _Up, folder: Path) -> None:
    printed = [line for line in up.lines if line.startswith("export ")]
    assert (folder / "openrc").read_text().splitlines(keepends=True) == printed
    assert f"export OS_AUTH_URL={up.said['Keystone']}\n" in printed
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_folder_is_in_use(up: _Up, folder: Path) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "heat_app.cli", "up", "--data", str(folder), *PORTS],
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 2
    assert second.stderr == (
        f"heat-trio: the data folder {folder} is in use by heat-trio up,"
        f" process {up.process.pid}: stop that one or choose another with --data.\n"
    )


def test_a_taken_port_is_said_before_anything_is_made(up: _Up, tmp_path: Path) -> None:
    port = up.said["Heat"].split(":")[2].split("/")[0]
    second = subprocess.run(
        [
            *(sys.executable, "-m", "heat_app.cli", "up", "--data", str(tmp_path / "other")),
            *("--port", port),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 2
    assert second.stderr == (
        f"heat-trio: port {port} of 127.0.0.1 is in use: choose another with --port.\n"
    )


def test_no_secret_is_in_the_log(up: _Up, folder: Path) -> None:
    secrets = [*_passwords(folder).values()]
    for log in ("heat-trio.log", "keystone/keystone.log"):
        text = (folder / log).read_text()
        assert not [secret for secret in secrets if secret in text]


def test_killed_and_stopped_and_started_again(tmp_path: Path) -> None:
    first = _Up(tmp_path, *PORTS)
    passwords = _passwords(tmp_path)
    ports = (
        *("--port", first.said["Heat"].split(":")[2].split("/")[0]),
        *("--keystone-port", first.said["Keystone"].split(":")[2].split("/")[0]),
    )
    project = _login(first, "demo", passwords["demo"], _project("demo")).json()["token"]["project"]
    assert first.end(signal.SIGKILL) == -9

    second = _Up(tmp_path, *ports)
    assert second.said["Heat"] == first.said["Heat"]
    assert _passwords(tmp_path) == passwords
    again = _login(second, "demo", passwords["demo"], _project("demo")).json()["token"]["project"]
    assert again == project
    assert second.end(signal.SIGTERM) == 0
    # Both ends took Keystone with them: its port is free at once.
    third = _Up(tmp_path, *ports)
    assert third.end(signal.SIGINT) == 0
    assert os.listdir(tmp_path / "keystone" / "fernet-keys")


def test_a_demonstration_cut_by_a_kill_goes_on_at_the_next_start(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "heat_app.cli", "up", "--data", str(tmp_path), *PORTS]
    cut = subprocess.Popen([*command, "--demo"], stdout=subprocess.PIPE, text=True)
    assert cut.stdout is not None
    for line in cut.stdout:
        if line.startswith("  CREATE_COMPLETE    network"):
            break
    cut.kill()
    cut.communicate()

    ended = subprocess.run(
        [*command, "--demo", "--once"], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "The stack hello is there already" in ended.stdout
    assert "  greeting        Hello, world! 2 web servers answer for you.\n" in ended.stdout
