"""Our engines behind Heat's own API: `python -m tests.conformance.fleet`.

A Keystone, Heat's APIs and a database made by Heat, from the facts' reference; `heat-engine` of
this checkout on its configuration, unchanged. Stacks of mixed shapes are created, updated and
deleted through Heat's API; then one of two engines is killed in the middle of creates, and the
other one ends them. A line a group with its counts, then what failed. Exit code 0: all passed or
not run; 1: something failed, or CI=true and something was not run.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.broker import NoBroker, rabbitmqctl

HEAT_ENGINE = Path(sys.executable).with_name("heat-engine")
COPIES = 5
KILLS = 3
PATIENCE_SECONDS = 120.0
VIRTUAL_HOST = "trio_fleet"
PORTS = {"KEYSTONE": 35000, "HEAT": 38004, "CFN": 38000}


class NotRun(Exception):
    """What is missing, in a sentence."""


# --- what is tried ---------------------------------------------------------------------------


def _template(resources: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": dict(resources), **more}


def _test(value: Any, *, depends_on: Any = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "OS::Heat::TestResource",
        "depends_on": list(depends_on),
        "properties": {"value": value, **properties},
    }


def chain(version: str) -> dict[str, Any]:
    """Each resource of four requires the one before."""
    resources: dict[str, Any] = {"r0": _test(f"start {version}")}
    for n in range(1, 4):
        resources[f"r{n}"] = _test({"get_attr": [f"r{n - 1}", "output"]})
    return _template(resources, outputs={"o": {"value": {"get_attr": ["r3", "output"]}}})


def fan_in(version: str) -> dict[str, Any]:
    """One resource requires ten others."""
    resources = {f"r{n}": _test(str(n)) for n in range(10)}
    return _template(resources | {"centre": _test(version, depends_on=resources)})


def replaced(version: str) -> dict[str, Any]:
    """The update replaces a resource that another one uses."""
    return _template(
        {
            "a": _test(version, update_replace=version != "one"),
            "b": _test({"get_resource": "a"}),
        }
    )


def group(version: str) -> dict[str, Any]:
    """A nested stack that grows."""
    count = 3 if version == "one" else 5
    member = {"type": "OS::Heat::RandomString", "properties": {"length": 8}}
    properties = {"count": count, "resource_def": member}
    return _template({"g": {"type": "OS::Heat::ResourceGroup", "properties": properties}})


def failing(version: str) -> dict[str, Any]:
    """Fails to create, and is mended by the update."""
    return _template({"a": _test("x"), "b": _test("y", depends_on=["a"], fail=version == "one")})


@dataclass(frozen=True, slots=True)
class Shape:
    """A template by version, and how its create ends."""

    template: Callable[[str], dict[str, Any]]
    created: str = "CREATE_COMPLETE"


SHAPES = (
    Shape(chain),
    Shape(fan_in),
    Shape(replaced),
    Shape(group),
    Shape(failing, "CREATE_FAILED"),
)

# --- the reference and our engines -----------------------------------------------------------


@dataclass(slots=True)
class Bed:
    """Heat's APIs without engines, a bed of our own beside others that may be running."""

    reference: Path
    folder: Path
    home: Path
    engines: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        own = {f"REFERENCE_{name}_PORT": str(port) for name, port in PORTS.items()}
        venv = os.environ.get("REFERENCE_VENV") or str(
            Path.home() / ".cache" / "heat-reference" / "venv"
        )
        return {
            **os.environ,
            **own,
            "REFERENCE_HOME": str(self.home),
            "REFERENCE_VENV": venv,
            "REFERENCE_DB_PREFIX": "trio_fleet_",
            "REFERENCE_VHOST": VIRTUAL_HOST,
        }

    def run(self, script: str, *arguments: str) -> str:
        """What a script of the reference prints."""
        done = subprocess.run(
            [self.reference / script, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise NotRun(f"reference/{script}: {done.stderr.strip()[-300:]}")
        return done.stdout.strip()

    def start_engine(self) -> subprocess.Popen[bytes]:
        """Another `heat-engine` of ours, which serves when this returns."""
        name = f"trio-{len(self.engines) + 1}"
        log = self.folder / f"{name}.log"
        own = self.folder / f"{name}.conf"
        own.write_text(f"[DEFAULT]\nhost = {name}\nlog_file = {log}\n")
        command = [HEAT_ENGINE, "--config-file", self.run("env", "conf"), "--config-file", own]
        engine = subprocess.Popen(command)
        self.engines.append(engine)
        until = time.monotonic() + PATIENCE_SECONDS
        while "the engine serves" not in (log.read_text() if log.exists() else ""):
            if engine.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"{name} does not serve, see {log}")
            time.sleep(0.1)
        return engine


@contextmanager
def bed_of_our_own(shared: Path, folder: Path) -> Iterator[Bed]:
    """Up while the block runs; NotRun when it can't be had."""
    reference = shared / "reference"
    if not (reference / "up").exists():
        raise NotRun(f"there is no {reference / 'up'}")
    version = subprocess.run([HEAT_ENGINE, "--version"], capture_output=True, text=True).stdout
    if not version.startswith("heat-trio"):
        raise AssertionError(f"{HEAT_ENGINE} is not ours: {version!r}")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "heat-trio-fleet"
    home.mkdir(parents=True, exist_ok=True)
    bed = Bed(reference, folder, home)
    with ExitStack() as at_the_end:
        at_the_end.enter_context(suppress(NoBroker))
        at_the_end.callback(rabbitmqctl, "delete_vhost", VIRTUAL_HOST)
        at_the_end.callback(bed.run, "down")
        bed.run("up", "--engines", "0", "--fresh")
        try:
            yield bed
        finally:
            for engine in bed.engines:
                engine.kill()
                engine.wait()


class Api:
    """Heat's API as a user of the demo project."""

    def __init__(self, bed: Bed) -> None:
        exports = dict(
            shlex.split(line)[1].split("=", 1)
            for line in bed.run("env", "--no-path", "demo").splitlines()
            if line.startswith("export OS_")
        )
        user = {
            "name": exports["OS_USERNAME"],
            "password": exports["OS_PASSWORD"],
            "domain": {"id": "default"},
        }
        scope = {"project": {"name": exports["OS_PROJECT_NAME"], "domain": {"id": "default"}}}
        identity = {"methods": ["password"], "password": {"user": user}}
        answer = httpx2.post(
            f"{exports['OS_AUTH_URL']}/auth/tokens",
            json={"auth": {"identity": identity, "scope": scope}},
        )
        answer.raise_for_status()
        project = answer.json()["token"]["project"]["id"]
        self._http = httpx2.Client(
            base_url=f"http://127.0.0.1:{PORTS['HEAT']}/v1/{project}",
            headers={"X-Auth-Token": answer.headers["X-Subject-Token"]},
            follow_redirects=True,
            timeout=70,
        )

    def send(self, method: str, path: str, **body: Any) -> Any:
        """The answer's map, None for another; httpx2.HTTPStatusError for an error."""
        answer = self._http.request(method, path, json=body or None)
        answer.raise_for_status()
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.json() if is_json and answer.content else None

    def statuses(self) -> dict[str, str]:
        """By name, without what is deleted."""
        stacks = self.send("GET", "/stacks")["stacks"]
        return {stack["stack_name"]: stack["stack_status"] for stack in stacks}

    def settled(self) -> dict[str, str]:
        """The statuses once nothing is in progress."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            statuses = self.statuses()
            if time.monotonic() > until or not any(
                status.endswith("IN_PROGRESS") for status in statuses.values()
            ):
                return statuses
            time.sleep(0.3)


# --- the groups ------------------------------------------------------------------------------


def behind_heats_api(api: Api) -> tuple[int, list[str]]:
    """Create, update and delete; how many operations ended as they should, and the others."""
    shapes = {f"{shape.template.__name__}-{n}": shape for shape in SHAPES for n in range(COPIES)}
    passed, failed = 0, []

    def check(step: str, wanted: Mapping[str, str | None]) -> None:
        nonlocal passed
        found = api.settled()
        for name, status in wanted.items():
            if found.get(name) == status:
                passed += 1
            else:
                failed.append(f"{step} {name}: {found.get(name)}, wanted {status}")

    for name, shape in shapes.items():
        api.send("POST", "/stacks", stack_name=name, template=shape.template("one"))
    check("create", {name: shape.created for name, shape in shapes.items()})
    for name, shape in shapes.items():
        api.send("PUT", f"/stacks/{name}/{_id(api, name)}", template=shape.template("two"))
    check("update", dict.fromkeys(shapes, "UPDATE_COMPLETE"))
    for name in shapes:
        api.send("DELETE", f"/stacks/{name}/{_id(api, name)}")
    check("delete", dict.fromkeys(shapes))
    return passed, failed


def one_of_two_is_killed(bed: Bed, api: Api) -> tuple[int, list[str]]:
    """An engine dies in the middle of a create; how often the other one ended it."""
    passed, failed = 0, []
    resources = {f"r{n}": _test(str(n), wait_secs=2) for n in range(20)}
    template = _template(resources | {"centre": _test("x", depends_on=resources)})
    for n in range(KILLS):
        name = f"killed-{n}"
        victim = bed.start_engine()
        api.send("POST", "/stacks", stack_name=name, template=template)
        time.sleep(0.7 * (n + 1))
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        status = api.settled().get(name)
        found = api.send("GET", f"/stacks/{name}/{_id(api, name)}/resources")["resources"]
        names = sorted(resource["resource_name"] for resource in found)
        if status == "CREATE_COMPLETE" and names == sorted(template["resources"]):
            passed += 1
        else:
            failed.append(f"{name}: {status}, {len(names)} resources")
        api.send("DELETE", f"/stacks/{name}/{_id(api, name)}")
    if left := api.settled():
        failed.append(f"not deleted: {left}")
    return passed, failed


def _id(api: Api, name: str) -> str:
    identity: str = api.send("GET", f"/stacks/{name}")["stack"]["id"]
    return identity


def _stops(engine: subprocess.Popen[bytes]) -> tuple[int, list[str]]:
    engine.send_signal(signal.SIGTERM)
    code = engine.wait(timeout=90)
    return (1, []) if code == 0 else (0, [f"it ended with {code}"])


def main() -> int:
    """Run and print; the exit code."""
    shared = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")).absolute()
    code = 0

    def tell(name: str, outcome: tuple[int, list[str]]) -> None:
        nonlocal code
        passed, failed = outcome
        print(f"fleet: {name}: {passed} passed, {len(failed)} failed", flush=True)
        for text in failed[:20]:
            print(f"  {text}", flush=True)
        code = 1 if failed else code

    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            bed_of_our_own(shared, Path(folder)) as bed,
        ):
            engine = bed.start_engine()
            api = Api(bed)
            tell("Heat's API, our engine", behind_heats_api(api))
            tell("one of two engines killed", one_of_two_is_killed(bed, api))
            tell("SIGTERM", _stops(engine))
    except NotRun as missing:
        print(f"fleet: not run: {missing}")
        return 1 if os.environ.get("CI", "").lower() == "true" else 0
    return code


if __name__ == "__main__":
    sys.exit(main())
