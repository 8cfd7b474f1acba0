"""Holds notifications to Heat's: `python -m tests.conformance.notifications [--record]`.

The same operations on stacks as Heat did them when `notifications_of_heat.json` was recorded; each
message of each stack is compared field by field, context and all. Then the messages go over a real
broker: queues and properties as the facts have them, and, with Heat's environment beside us, the
real oslo.messaging reads them in both formats. A line a group with its counts, then what failed.
Exit codes as in tests.conformance.wire.

`--record` has a running Heat (reference/up) do the operations and writes the file anew.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import trio
from trio.testing import MockClock

from heat_core.rpc import ENGINE_METHODS, RequestContext, unseal
from heat_core.rpc.notification import Notification
from heat_io.announcing import Announcer, EventSinks, NotificationSettings, StackNotifications
from heat_io.database import Database
from heat_io.database.ambient import utc_now
from heat_io.drivers import NoCloud, NoStoredCredentials
from heat_io.messaging import Target
from tests.conformance.notifications_wire import NotRun, record_from_heat, wire_groups
from tests.conformance.runs_stage import Stage, on_sqlite

RECORDED = Path(__file__).with_name("notifications_of_heat.json")
HOST = "host1"
CONTEXT = RequestContext(
    request_id="req-11111111-2222-3333-4444-555555555555",
    user_id="8bec0b2a",
    username="demo",
    project_id="74015b70",
    project_name="demo",
    user_domain_id="default",
    project_domain_id="default",
    roles=("reader", "member"),
    auth_token="secret",
    auth_url="http://keystone/v3",
    region_name="RegionOne",
)

type Step = tuple[str, str, dict[str, Any]]
"""what to do, to which stack, and the template with the other arguments"""

# --- the operations ----------------------------------------------------------------------------


def _template(resources: Mapping[str, Any], description: str | None = None) -> dict[str, Any]:
    described = {} if description is None else {"description": description}
    return {"heat_template_version": "2018-08-31", **described, "resources": dict(resources)}


def _test(**properties: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::TestResource", "properties": properties}


def _group(count: int) -> dict[str, Any]:
    member = {"type": "OS::Heat::RandomString", "properties": {"length": 8}}
    properties = {"count": count, "resource_def": member}
    return {"g": {"type": "OS::Heat::ResourceGroup", "properties": properties}}


def _given(template: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"template": dict(template), **more}


ONE = _template({"a": _test(value="one")}, "the first")
TWO = _template({"a": _test(value="two")}, "the ü second")
BAD = _template({"a": _test(value="two"), "bad": _test(value="x", fail=True)})
SLOW = _template({"a": _test(value="three", action_wait_secs={"update": 8})})

STEPS: tuple[Step, ...] = (
    ("create", "plain", _given(ONE, tags=["blue", "big"])),
    ("update", "plain", _given(TWO)),
    ("check", "plain", {}),
    ("delete", "plain", {}),
    ("create", "broken", _given(BAD)),
    ("delete", "broken", {}),
    ("create", "undone", _given(BAD, disable_rollback=False)),
    ("create", "back", _given(ONE)),
    ("update", "back", _given(BAD, disable_rollback=False)),
    ("delete", "back", {}),
    ("create", "tree", _given(_template(_group(1)))),
    ("update", "tree", _given(_template(_group(2)))),
    ("delete", "tree", {}),
    ("create", "stopped", _given(ONE)),
    ("begin update", "stopped", _given(SLOW)),
    ("cancel", "stopped", {}),
    ("delete", "stopped", {}),
)

# --- our side ----------------------------------------------------------------------------------


class Heard:
    """A way out that keeps what comes."""

    def __init__(self) -> None:
        self.notifications: list[Notification] = []

    async def notify(self, notification: Notification) -> None:
        await trio.lowlevel.checkpoint()
        self.notifications.append(notification)


async def our_notifications() -> list[Notification]:
    """What our engine tells of the operations."""
    heard = Heard()

    def announcer_on(database: Database) -> Announcer:
        def new_uuid() -> str:
            return str(uuid4())

        settings = NotificationSettings(f"orchestration.{HOST}")
        return Announcer(
            StackNotifications(database, [heard], settings, new_uuid=new_uuid, now=utc_now),
            EventSinks(database, NoCloud(), NoStoredCredentials(), new_uuid=new_uuid),
        )

    async with on_sqlite(announcer_on) as stage:
        for action, name, given in STEPS:
            await _act(stage, action, name, given)
        await trio.sleep(10)
    return heard.notifications


async def _act(stage: Stage, action: str, name: str, given: Mapping[str, Any]) -> None:
    options = {key: value for key, value in given.items() if key != "template"}
    request = {
        "template": given.get("template"),
        "params": {},
        "files": {},
        "args": options,
    }
    identity = stage.identities.get(name, {})
    match action:
        case "create":
            stage.identities[name] = await _call(stage, "create_stack", stack_name=name, **request)
        case "update" | "begin update":
            await _call(stage, "update_stack", stack_identity=identity, **request)
        case "cancel":
            arguments = {"stack_identity": identity, "cancel_with_rollback": False}
            await _call(stage, "stack_cancel_update", **arguments)
        case "check":
            await _call(stage, "stack_check", stack_identity=identity)
        case "delete":
            await _call(stage, "delete_stack", stack_identity=identity)
    if action == "begin update":
        await trio.sleep(3)
    else:
        await _ended(stage, name)


async def _ended(stage: Stage, name: str) -> None:
    def over() -> bool:
        row = stage.stack_row(name)
        points = stage.recording.last["sync_point"].values()
        busy = any(point["stack_id"] == row["id"] for point in points)
        return row["status"] != "IN_PROGRESS" and not busy

    await trio.sleep(1)
    await stage.until(f"the operation of {name} ended", over)


async def _call(stage: Stage, method: str, **arguments: Any) -> Any:
    contract = ENGINE_METHODS[method]
    request = contract.request(**arguments)
    return await stage.bus.call(
        Target("engine", version=contract.version), method, request, CONTEXT
    )


# --- comparing ---------------------------------------------------------------------------------

_FORMS = (
    (re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"), "<time>"),
    (re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$"), "<timestamp>"),
    (re.compile(r"^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$"), "<uuid>"),
    (re.compile(r"^[0-9a-f]{32}$"), "<hex>"),
    (re.compile(r"^req-[0-9a-f-]{36}$"), "<request>"),
)
_NESTED = re.compile(r"-[a-z0-9]{12}$")


def by_stack(messages: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The messages of each stack in their order, without what differs from run to run."""
    found: dict[str, list[dict[str, Any]]] = {}
    for message in messages:
        name = _NESTED.sub("-<id>", message["payload"]["stack_name"])
        found.setdefault(name, []).append(_plain(message))
    return found


def _plain(message: Mapping[str, Any]) -> dict[str, Any]:
    masks = {
        message["_context_project_id"]: "<project>",
        message["_context_user"]: "<user>",
        message["publisher_id"].partition(".")[2]: "<host>",
    }

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [plain(inner) for inner in value]
        if not isinstance(value, str):
            return value
        for known, mask in masks.items():
            value = value.replace(known, mask)
        for form, mask in _FORMS:
            if form.match(value):
                return mask
        return _NESTED.sub("-<id>", value)

    return plain(message)  # type: ignore[no-any-return] # a map stays a map


def differences(
    wanted: Mapping[str, Sequence[Any]], found: Mapping[str, Sequence[Any]]
) -> Iterator[str]:
    """In sentences, field by field."""
    for name in sorted({*wanted, *found}):
        want, got = wanted.get(name, []), found.get(name, [])
        kinds = [message["event_type"] for message in want]
        if kinds != [message["event_type"] for message in got]:
            yield f"{name}: got {[one['event_type'] for one in got]}, wanted {kinds}"
            continue
        for one, other in zip(want, got, strict=True):
            for field in sorted({*_flat(one), *_flat(other)}):
                mine, theirs = _flat(other).get(field), _flat(one).get(field)
                if mine != theirs:
                    yield f"{name} {one['event_type']} {field}: {mine!r}, wanted {theirs!r}"


def _flat(message: Mapping[str, Any]) -> dict[str, Any]:
    missing = "<not there>"
    flat = {key: value for key, value in message.items() if key != "payload"}
    flat |= {f"payload.{key}": value for key, value in message["payload"].items()}
    return {key: missing if value is None else value for key, value in flat.items()}


def main() -> int:
    """Run and print; the exit code."""
    shared = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")).absolute()
    if "--record" in sys.argv[1:]:
        messages = by_stack(record_from_heat(shared / "reference", STEPS))
        text = json.dumps(messages, indent=1, ensure_ascii=False, sort_keys=True)
        RECORDED.write_text(text + "\n")
        print(f"recorded {sum(map(len, messages.values()))} messages")
        return 0
    code = 0

    def tell(name: str, count: int, failed: Sequence[str]) -> None:
        nonlocal code
        print(f"notifications: {name}: {count - len(failed)} of {count}", flush=True)
        for text in failed[:20]:
            print(f"  {text}", flush=True)
        code = 1 if failed else code

    notifications = trio.run(our_notifications, clock=MockClock(autojump_threshold=0))
    wanted = json.loads(RECORDED.read_text())
    messages = [unseal(one.body(enveloped=True)) for one in notifications]
    found = by_stack(messages)
    fields = sum(len(_flat(message)) for group in wanted.values() for message in group)
    tell("messages", sum(map(len, wanted.values())), _of_kinds(wanted, found))
    tell("fields", fields, list(differences(wanted, found)))
    try:
        for name, count, failed in wire_groups(shared / "reference", notifications):
            tell(name, count, failed)
    except NotRun as error:
        print(f"notifications: over a broker: not run: {error}")
        code = 1 if os.environ.get("CI", "").lower() == "true" else code
    return code


def _of_kinds(wanted: Mapping[str, Sequence[Any]], found: Mapping[str, Sequence[Any]]) -> list[str]:
    failed = []
    for name, group in wanted.items():
        kinds = [message["event_type"] for message in found.get(name, ())]
        for index, message in enumerate(group):
            if index >= len(kinds) or kinds[index] != message["event_type"]:
                failed.append(f"{name}: {message['event_type']} is missing")
    return failed


if __name__ == "__main__":
    sys.exit(main())
