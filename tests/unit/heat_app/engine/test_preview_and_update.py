"""A preview says what the update then does: random templates, previewed and then updated."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from trio.testing import MockClock

GIVEN: dict[str, Any] = {"params": {}, "files": {}, "args": {}}
TEST, VALUE, RANDOM = "OS::Heat::TestResource", "OS::Heat::Value", "OS::Heat::RandomString"
ATTRIBUTES = {TEST: "output", VALUE: "value", RANDOM: "value"}
NAMES = "abcdefg"


def a_template(choose: random.Random, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Up to seven resources that read each other; most are as they were `before`."""
    resources: dict[str, Any] = {}
    for name in NAMES:
        if choose.random() < 0.2:
            continue
        kept = None if before is None else before["resources"].get(name)
        if kept is not None and choose.random() < 0.6 and fits(kept, resources):
            resources[name] = kept
        else:
            resources[name] = a_resource(choose, resources)
    return {"heat_template_version": "2018-08-31", "resources": resources}


def fits(resource: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Whether what the resource reads is still there."""
    for value in resource["properties"].values():
        match value:
            case {"get_resource": name} if name not in others:
                return False
            case {"get_attr": [name, attribute]}:
                if name not in others or ATTRIBUTES[others[name]["type"]] != attribute:
                    return False
    return True


def a_resource(choose: random.Random, others: Mapping[str, Any]) -> dict[str, Any]:
    kind = choose.choice((TEST, VALUE, RANDOM))
    value: Any = choose.choice(("x", "y"))
    if others and choose.random() < 0.6:
        other = choose.choice(sorted(others))
        reference = {"get_resource": other}
        attribute = {"get_attr": [other, ATTRIBUTES[others[other]["type"]]]}
        value = choose.choice((reference, attribute))
    if kind == RANDOM:
        return {"type": RANDOM, "properties": {"length": 8, "salt": value}}
    if kind == VALUE:
        return {"type": VALUE, "properties": {"value": value}}
    extra = choose.choice(({}, {"update_replace": True}, {"update_replace_value": "z"}))
    return {"type": TEST, "properties": {"value": value, **extra}}


async def what_happened(client: Any, identity: Mapping[str, str]) -> dict[str, set[str]]:
    """The actions that each resource went through since the update began."""
    happened: dict[str, set[str]] = {}
    for event in await client.call("list_events", stack_identity=identity):
        name, action = event["resource_name"], event["resource_action"]
        if name == "st1":
            if event["resource_status"] == "IN_PROGRESS" and action == "UPDATE":
                break
            continue
        happened.setdefault(name, set()).add(action)
    return happened


EXPECTED = {
    "unchanged": set(),
    "updated": {"UPDATE"},
    "added": {"CREATE"},
    "deleted": {"DELETE"},
}


@pytest.mark.parametrize("seed", range(25))
async def test_what_is_previewed_is_done(client: Any, autojump_clock: MockClock, seed: int) -> None:
    choose = random.Random(seed)
    first = a_template(choose)
    second = a_template(choose, first)
    identity = await client.call("create_stack", stack_name="st1", template=first, **GIVEN)
    await client.wait(identity, "CREATE_COMPLETE")
    preview = await client.call(
        "preview_update_stack", stack_identity=identity, template=second,
        **{**GIVEN, "args": {"show_changes": True}},
    )  # fmt: skip
    await client.call("update_stack", stack_identity=identity, template=second, **GIVEN)
    await client.wait(identity, "UPDATE_COMPLETE")
    happened = await what_happened(client, identity)
    told = {one["resource_name"]: (kind, one) for kind, found in preview.items() for one in found}
    assert set(told) >= set(happened)
    for name, (kind, one) in told.items():
        did = happened.get(name, set())
        if any(not change["known"] for change in one["changes"]["properties"]):
            # Nobody could know: it may even come to the value that it has.
            assert kind in ("updated", "replaced")
            assert did <= {"UPDATE", "CREATE", "DELETE"}
        elif kind == "replaced":
            assert {"CREATE", "DELETE"} <= did, (seed, name)
        else:
            assert did == EXPECTED[kind], (seed, name, one["changes"])
