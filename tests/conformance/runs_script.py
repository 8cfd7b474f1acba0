"""The requests behind the recorded scenarios.

The recording has states, events and messages, not the requests. The templates here are put
together from what it has: engine-samples.json shows those of "st1" after its creation and in the
snapshot, and a row of raw_template that of "st8"; the others follow from the edges of
current_deps, the attributes that were sent, the decisions that were made and the reasons that
were given. What a value is called has left no trace: any other value would do as well.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.conformance.runs_stage import Stage

WAITS = {"create": 0.3, "update": 0.3, "delete": 0.2}
DEAD_ENGINE = "0dead0de-0000-4000-8000-000000000000"

type Resources = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One recorded scenario: its name, its stack, and the requests that make it happen.

    `missing` names the operation that heat-trio does not have yet; then nothing is done.
    `error` is what the request is refused with.
    """

    name: str
    stack: str
    act: Callable[[Stage], Awaitable[None]] | None = None
    missing: str = ""
    error: tuple[str, str] | None = None
    instead: Callable[[Stage], Awaitable[None]] | None = None
    """what brings about rows like those that a missing operation leaves"""
    leaves: bool = False
    """the database is to be brought to the recorded end: a later scenario begins there"""


SLOW = {**WAITS, "update": 1.5}
"""for an update in whose middle something else is to happen"""


def _test(*needs: str, **properties: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "OS::Heat::TestResource",
        "properties": {"action_wait_secs": WAITS, **properties},
    }
    if needs:
        found["depends_on"] = list(needs)
    return found


def _document(resources: Resources, **sections: Any) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", **sections, "resources": resources}


OUTPUT = {"get_attr": ["a", "output"]}
DIAMOND: Resources = {
    "a": _test(value="v1"),
    "b": _test(value=OUTPUT),
    "c": _test(value={"get_resource": "a"}),
    "d": _test("b", "c", value="x"),
}
CHANGED = {**DIAMOND, "a": _test(value="v2")}
REPLACED = {**CHANGED, "b": _test(value="changed", update_replace=True)}
WITH_E = {name: one for name, one in REPLACED.items() if name != "d"} | {
    "e": _test("c", value="new")
}
C_FAILS = {**WITH_E, "c": _test(value={"get_resource": "a"}, fail=True)}
C_FAILS_ALONE = {**WITH_E, "c": _test(value="bad", fail=True)}
FIRST = {**WITH_E, "a": _test(value="v3", action_wait_secs=SLOW)}
SECOND = {**WITH_E, "a": _test(value="v4")}
CANCELLED = {**WITH_E, "a": _test(value="v5", action_wait_secs=SLOW)}
FAILING: Resources = {"a": _test(value="v1"), "b": _test(value=OUTPUT, fail=True)}
GROUP: Resources = {
    "g": {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 2, "resource_def": {"type": "OS::Heat::RandomString"}},
    }
}
ALONE: Resources = {"a": _test(value="x")}
ALONE_CHANGED: Resources = {"a": _test(value="y")}
PARAMETERS = {
    "p": {"type": "string"},
    "h": {"type": "string", "hidden": True, "default": "hid"},
}
WITH_PARAMETERS: Resources = {"a": _test(value={"get_param": "p"})}
ST1_OUTPUTS = {"o": {"value": OUTPUT}}


# --- requests ----------------------------------------------------------------------------------


async def create(stage: Stage, name: str, document: Mapping[str, Any], **more: Any) -> None:
    """Send a create and wait until its operation is over."""
    given = {"params": {}, "files": {}, "args": {}, **more}
    stage.identities[name] = await stage.call(
        "create_stack", stack_name=name, template=document, **given
    )
    await stage.ended(name)


async def begin_update(
    stage: Stage, name: str, document: Mapping[str, Any] | None, **more: Any
) -> None:
    given = {"params": {}, "files": {}, "args": {}, **more}
    await stage.call(
        "update_stack", stack_identity=stage.identities[name], template=document, **given
    )


def creates(name: str, resources: Resources, **more: Any) -> Callable[[Stage], Awaitable[None]]:
    sections = more.pop("sections", {})

    async def act(stage: Stage) -> None:
        await create(stage, name, _document(resources, **sections), **more)

    return act


def updates(name: str, resources: Resources, **more: Any) -> Callable[[Stage], Awaitable[None]]:
    sections = {"outputs": ST1_OUTPUTS} if name == "st1" else {}

    async def act(stage: Stage) -> None:
        await begin_update(stage, name, _document(resources, **sections), **more)
        await stage.ended(name)

    return act


def deletes(name: str) -> Callable[[Stage], Awaitable[None]]:
    async def act(stage: Stage) -> None:
        await stage.call("delete_stack", stack_identity=stage.identities[name])
        await stage.ended(name)

    return act


async def check(stage: Stage) -> None:
    await stage.call("stack_check", stack_identity=stage.identities["st1"])
    await stage.ended("st1")


def _row(stage: Stage, stack: str, name: str) -> Mapping[str, Any]:
    """The newest row of that name."""
    stack_id = stage.identities[stack]["stack_id"]
    rows = [
        row
        for row in stage.recording.last["resource"].values()
        if (row["stack_id"], row["name"]) == (stack_id, name)
    ]
    return max(rows, key=lambda row: int(row["id"]))


async def _half_way(stage: Stage) -> None:
    """Until `a` is being updated and `b`, which stays, has reported to its clean-up."""

    def is_there() -> bool:
        stack, a, b = stage.stack_row("st1"), _row(stage, "st1", "a"), _row(stage, "st1", "b")
        moved = b["current_template_id"] == stack["raw_template_id"]
        key = f"{b['id']}/{stack['current_traversal']}/0"
        point = stage.recording.last["sync_point"].get(key)
        reported = point is not None and json.loads(point["input_data"]) != {}
        return a["engine_id"] is not None and moved and reported

    await stage.until("the update was half way", is_there)


async def second_update(stage: Stage) -> None:
    """The recording begins with the second update; its events are those of both."""
    await begin_update(stage, "st1", _document(FIRST, outputs=ST1_OUTPUTS))
    await _half_way(stage)
    stage.recording.mark()
    await begin_update(stage, "st1", _document(SECOND, outputs=ST1_OUTPUTS))
    await stage.ended("st1")


async def cancel(stage: Stage) -> None:
    """The recording ends with the cancel: `a` is being updated, no clean-up has begun."""
    stage.broker.holds = lambda arguments: arguments.get("is_update") is False
    await begin_update(stage, "st1", _document(CANCELLED, outputs=ST1_OUTPUTS))
    await _half_way(stage)
    stage.recording.mark()
    await stage.call(
        "stack_cancel_update",
        stack_identity=stage.identities["st1"],
        cancel_with_rollback=False,
    )


async def after_cancel(stage: Stage) -> None:
    """What the scenario before has left running comes to its end."""
    stage.broker.release()
    await stage.until("a was let go", lambda: _row(stage, "st1", "a")["engine_id"] is None)


async def mark_and_update(stage: Stage) -> None:
    await stage.call(
        "resource_mark_unhealthy",
        stack_identity=stage.identities["st1"],
        resource_name="a",
        mark_unhealthy=True,
        resource_status_reason="broken",
    )
    stage.recording.mark()
    await updates("st1", CANCELLED)(stage)


async def stale_lock(stage: Stage) -> None:
    await stage.execute(
        "UPDATE resource SET engine_id = :dead WHERE name = 'a' AND stack_id = :stack",
        dead=DEAD_ENGINE,
        stack=stage.identities["st7"]["stack_id"],
    )
    await updates("st7", ALONE_CHANGED)(stage)


async def patch(stage: Stage) -> None:
    await begin_update(
        stage, "st8", None, params={"parameters": {"p": "two"}}, args={"existing": True}
    )
    await stage.ended("st8")


SUSPENDED = ("NotSupported", "Updating a stack when it is suspended is not supported.")

SCRIPT = (
    Scenario(
        "create: a -> (b, c) -> d",
        "st1",
        creates("st1", DIAMOND, sections={"outputs": ST1_OUTPUTS}),
    ),
    Scenario(
        "update in place: a.value changes, c and d keep definitions", "st1", updates("st1", CHANGED)
    ),
    Scenario("update with replacement of b", "st1", updates("st1", REPLACED)),
    Scenario("update removing d, adding e", "st1", updates("st1", WITH_E)),
    Scenario("check", "st1", check),
    Scenario("suspend", "st1", missing="suspend", leaves=True),
    Scenario("update while suspended", "st1", updates("st1", WITH_E), error=SUSPENDED),
    Scenario("resume", "st1", missing="resume", leaves=True),
    Scenario("snapshot", "st1", missing="snapshot", leaves=True),
    Scenario("restore", "st1", missing="restore", instead=updates("st1", WITH_E), leaves=True),
    Scenario("update failure without rollback (c fails)", "st1", updates("st1", C_FAILS)),
    Scenario("update of the failed stack back to good", "st1", updates("st1", WITH_E)),
    Scenario(
        "update failure with rollback",
        "st1",
        updates("st1", C_FAILS_ALONE, args={"disable_rollback": False}),
    ),
    Scenario("second update while the first is running", "st1", second_update),
    Scenario("cancel without rollback", "st1", cancel),
    Scenario("mark a unhealthy then update", "st1", mark_and_update),
    Scenario("delete (with a snapshot left)", "st1", deletes("st1")),
    Scenario("create failure without rollback", "st2", creates("st2", FAILING)),
    Scenario("delete of failed stack", "st2", deletes("st2")),
    Scenario(
        "create failure with rollback",
        "st3",
        creates("st3", FAILING, args={"disable_rollback": False}),
    ),
    Scenario("delete of rolled back stack", "st3", deletes("st3")),
    Scenario("empty stack create", "st4", creates("st4", {})),
    Scenario("empty stack delete", "st4", deletes("st4")),
    Scenario("nested: resource group of 2", "st5", creates("st5", GROUP)),
    Scenario("nested delete", "st5", deletes("st5")),
    Scenario("pre-create hook", "st6", missing="hooks"),
    Scenario("abandon", "st6", missing="abandon"),
    Scenario("create for stale lock test", "st7", creates("st7", ALONE)),
    Scenario("update with a stale lock of a dead engine on a", "st7", stale_lock),
    Scenario("delete of that stack", "st7", deletes("st7")),
    Scenario(
        "create with parameters and tags",
        "st8",
        creates(
            "st8",
            WITH_PARAMETERS,
            sections={"parameters": PARAMETERS},
            params={"parameters": {"p": "one"}},
            args={"tags": ["t1", "t2"], "timeout_mins": 5},
        ),
    ),
    Scenario("PATCH update of one parameter", "st8", patch),
    Scenario(
        "adopt of the abandoned document",
        "st9",
        missing="adopt",
        instead=creates(
            "st9",
            WITH_PARAMETERS,
            sections={"parameters": PARAMETERS},
            params={"parameters": {"p": "two"}},
        ),
        leaves=True,
    ),
    Scenario("delete adopted", "st9", deletes("st9")),
)
