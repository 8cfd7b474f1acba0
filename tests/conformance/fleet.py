"""Fleets with Heat: `python -m tests.conformance.fleet [behind] [before] [mixed] [rolling]`.

A Keystone, Heat's APIs and a database made by Heat, from the facts' reference; `heat-engine` of
this checkout on its configuration, unchanged.

- behind: stacks of mixed shapes are created, updated and deleted through Heat's API by our engine
  alone; then one of two engines is killed in the middle of creates, and the other one ends them.
- before: the same stacks through our `heat-api` by an engine of Heat.
- mixed: one engine of Heat and one of ours at the same stacks (tests.conformance.fleet_mixed).
- rolling: Heat's engines and API are replaced by ours and put back while users go on
  (tests.conformance.fleet_rolling).

A line a group with its counts, then what failed. Exit code 0: all passed or not run; 1: something
failed, or CI=true and something was not run.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.fleet_bed import Api, Bed, Keystone, NotRun, bed_of_our_own, end
from tests.conformance.fleet_mixed import one_of_each
from tests.conformance.fleet_rolling import RESPONSE_SECONDS, roll

type Tell = Callable[[str, tuple[int, list[str]]], None]

COPIES = 5
KILLS = 3
WAYS = ("behind", "before", "mixed", "rolling")


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

# --- the groups ------------------------------------------------------------------------------


def behind_an_api(api: Api) -> tuple[int, list[str]]:
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
        api.send("PUT", f"/stacks/{name}/{api.id(name)}", template=shape.template("two"))
    check("update", dict.fromkeys(shapes, "UPDATE_COMPLETE"))
    for name in shapes:
        api.send("DELETE", f"/stacks/{name}/{api.id(name)}")
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
        found = api.send("GET", f"/stacks/{name}/{api.id(name)}/resources")["resources"]
        names = sorted(resource["resource_name"] for resource in found)
        if status == "CREATE_COMPLETE" and names == sorted(template["resources"]):
            passed += 1
        else:
            failed.append(f"{name}: {status}, {len(names)} resources")
        api.send("DELETE", f"/stacks/{name}/{api.id(name)}")
    if left := api.settled():
        failed.append(f"not deleted: {left}")
    return passed, failed


def behind(shared: Path, tell: Tell) -> None:
    """Heat's APIs before our engines."""
    with bed_of_our_own(shared) as bed:
        engine = bed.start_engine()
        api = Api(Keystone(bed))
        tell("Heat's API, our engine", behind_an_api(api))
        tell("one of two engines killed", one_of_two_is_killed(bed, api))
        code = end(engine, signal.SIGTERM)
        tell("SIGTERM", (1, []) if code == 0 else (0, [f"it ended with {code}"]))


def before(shared: Path, tell: Tell) -> None:
    """Our API before Heat's engines."""
    up = ("--no-api", "--engines", "1", "--no-leaf-sleep")
    with bed_of_our_own(shared, *up, name="before") as bed:
        api = bed.start_api()
        tell("our API, Heat's engine", behind_an_api(Api(Keystone(bed))))
        code = end(api, signal.SIGTERM)
        tell("SIGTERM to our API", (1, []) if code == 0 else (0, [f"it ended with {code}"]))


def mixed(shared: Path, copies: int, tell: Tell) -> None:
    """An engine of Heat beside one of ours."""
    with bed_of_our_own(shared, "--engines", "0", "--no-leaf-sleep") as bed:
        tell("an engine of Heat beside one of ours", one_of_each(bed, copies, say))


def rolling(shared: Path, tell: Tell) -> None:
    """Heat replaced by us and put back, without anybody noticing."""
    up = ("--engines", "2", "--no-leaf-sleep")
    settings = f"[DEFAULT]\nrpc_response_timeout = {RESPONSE_SECONDS}\n"
    with bed_of_our_own(shared, *up, name="rolling", settings=settings) as bed:
        templates = (chain, fan_in, replaced, group)
        tell("Heat replaced and put back", roll(bed, templates, say))


def say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    """Run and print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.fleet")
    parser.add_argument(
        "ways", nargs="*", metavar="way", help=f"of {', '.join(WAYS)}", default=WAYS
    )
    parser.add_argument("--copies", type=int, default=5, help="stacks of each shape in `mixed`")
    arguments = parser.parse_args()
    shared = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")).absolute()
    code = 0

    def tell(name: str, outcome: tuple[int, list[str]]) -> None:
        nonlocal code
        passed, failed = outcome
        print(f"fleet: {name}: {passed} passed, {len(failed)} failed", flush=True)
        for text in failed[:20]:
            print(f"  {text}", flush=True)
        code = 1 if failed else code

    run: dict[str, Callable[[], None]] = {
        "behind": lambda: behind(shared, tell),
        "before": lambda: before(shared, tell),
        "mixed": lambda: mixed(shared, arguments.copies, tell),
        "rolling": lambda: rolling(shared, tell),
    }
    for way in arguments.ways:
        try:
            run[way]()
        except NotRun as missing:
            print(f"fleet: {way}: not run: {missing}", flush=True)
            code = 1 if os.environ.get("CI", "").lower() == "true" else code
    return code


if __name__ == "__main__":
    sys.exit(main())
