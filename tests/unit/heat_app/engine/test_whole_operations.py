"""Operations over the real drivers: what is cancelled, refused, checked, marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
import trio.testing

GIVEN: dict[str, Any] = {"params": {}, "files": {}, "args": {}}


def template(**resources: Any) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": resources}


def a_test(**properties: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::TestResource", "properties": properties}


def a_value(value: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::Value", "properties": {"value": value}}


async def made(client: Any, document: Mapping[str, Any], **arguments: Any) -> dict[str, str]:
    given = {**GIVEN, **arguments}
    identity: dict[str, str] = await client.call(
        "create_stack", stack_name="st1", template=document, **given
    )
    await client.wait(identity, "CREATE_COMPLETE")
    return identity


async def events(client: Any, identity: Mapping[str, str]) -> list[tuple[str, ...]]:
    found = await client.call("list_events", stack_identity=identity)
    keys = ("resource_name", "resource_action", "resource_status", "resource_status_reason")
    return [tuple(event[key] for key in keys) for event in reversed(found)]


async def state(client: Any, identity: Mapping[str, str], name: str) -> tuple[str, str, str]:
    shown = await client.call(
        "describe_stack_resource", stack_identity=identity, resource_name=name
    )
    return (
        shown["resource_action"],
        shown["resource_status"],
        shown["resource_status_reason"],
    )


# --- restricted actions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "wanted"), [("update", a_test(value="b")), ("replace", a_value("b"))]
)
async def test_what_the_environment_forbids(
    client: Any, autojump_clock: trio.testing.MockClock, word: str, wanted: dict[str, Any]
) -> None:
    identity = await made(client, template(r=a_test(value="a")))
    registry = {"resource_registry": {"resources": {"r": {"restricted_actions": word}}}}
    await client.call(
        "update_stack",
        stack_identity=identity,
        template=template(r=wanted),
        **{**GIVEN, "params": registry},
    )
    stack = await client.wait(identity, "UPDATE_FAILED")
    text = f"{word} is restricted for resource."
    assert stack["stack_status_reason"] == (
        f"Resource UPDATE failed: ResourceActionRestricted: resources.r: {text}"
    )
    assert (await events(client, identity))[-2] == ("r", "UPDATE", "FAILED", text)
    assert await state(client, identity, "r") == ("CREATE", "COMPLETE", "state changed")

    # The resource is as good as before: without the restriction it is updated in place.
    await client.call(
        "update_stack", stack_identity=identity, template=template(r=a_test(value="b")), **GIVEN
    )
    await client.wait(identity, "UPDATE_COMPLETE")
    assert await state(client, identity, "r") == ("UPDATE", "COMPLETE", "state changed")


async def test_another_external_id_is_refused_without_an_event(
    client: Any, autojump_clock: trio.testing.MockClock
) -> None:
    identity = await made(client, template(r=a_value("a")))
    external = {**a_value("a"), "external_id": "other"}
    await client.call(
        "update_stack", stack_identity=identity, template=template(r=external), **GIVEN
    )
    stack = await client.wait(identity, "UPDATE_FAILED")
    text = "Update to property external_id of r (OS::Heat::Value) is not supported."
    assert stack["stack_status_reason"].endswith(f"NotSupported: resources.r: {text}")
    assert [event[0] for event in (await events(client, identity))[-2:]] == ["st1", "st1"]
    assert await state(client, identity, "r") == ("CREATE", "COMPLETE", "state changed")


# --- cancel --------------------------------------------------------------------------------------


async def updating(client: Any) -> dict[str, str]:
    """A stack in the middle of an update that takes a minute."""
    identity = await made(client, template(slow=a_test(value="a")))
    wanted = template(slow=a_test(value="b", action_wait_secs={"update": 60}))
    await client.call("update_stack", stack_identity=identity, template=wanted, **GIVEN)
    await trio.sleep(5)
    return identity


async def test_cancelling_an_update_goes_back(
    client: Any, autojump_clock: trio.testing.MockClock
) -> None:
    identity = await updating(client)
    await client.call("stack_cancel_update", stack_identity=identity)
    stack = await client.wait(identity, "ROLLBACK_COMPLETE")
    assert stack["stack_status_reason"] == "Stack ROLLBACK completed successfully"
    (output,) = await client.call(
        "describe_stack_resources", stack_identity=identity, resource_name="slow"
    )
    assert output["attributes"] == {"output": "a"}
    current = await client.call("get_template", stack_identity=identity)
    assert current["resources"]["slow"]["properties"] == {"value": "a"}


async def test_cancelling_without_rollback_ends_the_update(
    client: Any, autojump_clock: trio.testing.MockClock
) -> None:
    identity = await updating(client)
    await client.call("stack_cancel_update", stack_identity=identity, cancel_with_rollback=False)
    stack = await client.wait(identity, "UPDATE_FAILED")
    assert stack["stack_status_reason"] == "Stack UPDATE cancelled"
    await client.call(
        "update_stack", stack_identity=identity, template=template(slow=a_test(value="c")), **GIVEN
    )
    await client.wait(identity, "UPDATE_COMPLETE")


# --- check, marks --------------------------------------------------------------------------------


async def test_a_marked_resource_is_replaced_by_the_next_update(
    client: Any, autojump_clock: trio.testing.MockClock
) -> None:
    document = template(r=a_test(value="a"), v=a_value("x"))
    identity = await made(client, document)
    await client.call(
        "resource_mark_unhealthy",
        stack_identity=identity,
        resource_name="r",
        mark_unhealthy=True,
        resource_status_reason="sick",
    )
    preview = await client.call(
        "preview_update_stack", stack_identity=identity, template=document,
        **{**GIVEN, "args": {"show_changes": True}},
    )  # fmt: skip
    (replaced,) = preview["replaced"]
    assert replaced["changes"]["reason"] == "The resource is CHECK_FAILED."
    assert [one["resource_name"] for one in preview["unchanged"]] == ["v"]
    await client.call("update_stack", stack_identity=identity, template=document, **GIVEN)
    await client.wait(identity, "UPDATE_COMPLETE")
    assert (await state(client, identity, "r"))[0] == "CREATE"
    told = [event for event in await events(client, identity) if event[0] == "r"]
    assert told[2:] == [
        ("r", "CHECK", "FAILED", "sick"),
        ("r", "CREATE", "IN_PROGRESS", "state changed"),
        ("r", "CREATE", "COMPLETE", "state changed"),
        ("r", "DELETE", "IN_PROGRESS", "state changed"),
        ("r", "DELETE", "COMPLETE", "state changed"),
    ]


async def test_a_check_looks_at_every_resource(
    client: Any, autojump_clock: trio.testing.MockClock
) -> None:
    identity = await made(client, template(r=a_test(value="a"), v=a_value("x")))
    await client.call("stack_check", stack_identity=identity)
    stack = await client.wait(identity, "CHECK_COMPLETE")
    assert stack["stack_status_reason"] == (
        "Stack CHECK completed successfully. 'CHECK' not fully supported (see resources)"
    )
    assert await state(client, identity, "r") == ("CHECK", "COMPLETE", "state changed")
    assert await state(client, identity, "v") == (
        "CHECK",
        "COMPLETE",
        "CHECK not supported for OS::Heat::Value",
    )


# --- timeouts ------------------------------------------------------------------------------------


async def test_an_update_that_takes_too_long(
    client: Any, autojump_clock: trio.testing.MockClock
) -> None:
    identity = await made(client, template(slow=a_test(value="a")))
    wanted = template(slow=a_test(value="b", action_wait_secs={"update": -1}))
    await client.call(
        "update_stack", stack_identity=identity, template=wanted,
        **{**GIVEN, "args": {"timeout_mins": 1}},
    )  # fmt: skip
    stack = await client.wait(identity, "UPDATE_FAILED")
    assert stack["stack_status_reason"] == "Timed out"
    assert (await state(client, identity, "slow"))[:2] == ("UPDATE", "FAILED")
