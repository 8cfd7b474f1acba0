"""`--demo`: make a stack of examples/hello.yaml through the HTTP API and show how it goes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx2
import trio

from heat_app.standalone.client import HeatClient, RequestFailed
from heat_app.standalone.progress import Progress

__all__ = ["STACK", "demonstrate", "open_http"]

STACK = "hello"
LOOK_SECONDS = 0.2


def template_text() -> str:
    """The text of hello.yaml: beside this module in an installed package, else in the project."""
    packaged = files("heat_app.standalone") / "hello.yaml"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[3] / "examples" / "hello.yaml").read_text(encoding="utf-8")


def open_http() -> httpx2.AsyncClient:
    """A client that reaches this machine whatever proxies the environment names."""
    return httpx2.AsyncClient(timeout=60, trust_env=False)


async def demonstrate(
    http: httpx2.AsyncClient, auth_url: str, password: str, *, timeout_seconds: float = 600
) -> bool:
    """Make the stack, or find it as an earlier start left it; True when it is complete.

    Everything is printed; a failure with its reason. Raises RequestFailed when the API refuses.
    """
    heat = await HeatClient.login(http, auth_url, "demo", password, "demo")
    stack = await _present(heat)
    if stack is not None and stack["stack_status"].endswith("_FAILED"):
        print(f"The stack {STACK} of an earlier start failed: deleting it first.")
        await heat.delete(_path(stack))
        stack = await _follow(heat, stack, timeout_seconds)
    elif stack is not None and stack["stack_status"].startswith("DELETE_"):
        stack = await _follow(heat, stack, timeout_seconds)
    if stack is None:
        print(f"Creating the stack {STACK} from hello.yaml:", flush=True)
        answer = await heat.post(
            "/stacks", {"stack_name": STACK, "template": template_text(), "timeout_mins": 10}
        )
        stack = {"id": answer["stack"]["id"], "stack_name": STACK}
    else:
        print(f"The stack {STACK} is there already, from an earlier start:", flush=True)
    stack = await _follow(heat, stack, timeout_seconds)
    return _print_end(stack)


async def _present(heat: HeatClient) -> dict[str, Any] | None:
    """The stack, if there is one of that name."""
    try:
        return dict((await heat.get(f"/stacks/{STACK}"))["stack"])
    except RequestFailed as failure:
        if failure.status == 404:
            return None
        raise


def _path(stack: Mapping[str, Any]) -> str:
    return f"/stacks/{stack['stack_name']}/{stack['id']}"


async def _follow(
    heat: HeatClient, stack: Mapping[str, Any], timeout_seconds: float
) -> dict[str, Any] | None:
    """Show the resources until the stack is at rest; the stack, or None when it is gone."""
    progress = Progress()
    with trio.move_on_after(timeout_seconds):
        while True:
            try:
                found = (await heat.get(_path(stack)))["stack"]
                progress.show((await heat.get(f"{_path(stack)}/resources"))["resources"])
            except RequestFailed as failure:
                if failure.status == 404:
                    progress.done()
                    return None
                raise
            if not found["stack_status"].endswith("_IN_PROGRESS"):
                progress.done()
                # Deleted stacks stay visible by their id.
                return None if found["stack_status"] == "DELETE_COMPLETE" else dict(found)
            await trio.sleep(LOOK_SECONDS)
    progress.done()
    raise RequestFailed(
        504, f"the stack {stack['stack_name']} is not at rest after {timeout_seconds:.0f} seconds"
    )


def _print_end(stack: Mapping[str, Any] | None) -> bool:
    if stack is None:
        print(f"The stack {STACK} was deleted meanwhile.")
        return False
    print(f"\nThe stack {STACK} is {stack['stack_status']}.")
    if not stack["stack_status"].endswith("_COMPLETE"):
        print(f"  {stack['stack_status_reason']}")
        return False
    print("Outputs:")
    for output in stack.get("outputs", ()):
        value = output["output_value"]
        shown = value if isinstance(value, str) else json.dumps(value)
        print(f"  {output['output_key']:<15} {shown}")
    return True
