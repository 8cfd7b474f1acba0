from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection

from heat_core.errors import (
    ActionInProgress,
    Invalid,
    InvalidBreakPointHook,
    NotSupported,
    ResourceActionNotSupported,
    ResourceNotAvailable,
    ResourceNotFound,
)
from heat_core.rpc import RequestContext
from heat_core.stack import Action, EventRecord, StackRecord, Status
from heat_io.database import properties_data, resource_data, resources
from heat_io.drivers.ports import NobodyListens

MARK = {"mark_unhealthy": True, "resource_name": "a"}


async def events_of(world: Any, identity: Mapping[str, str]) -> list[tuple[Any, ...]]:
    found = await world.call("list_events", stack_identity=identity)
    keys = ("resource_name", "resource_action", "resource_status", "resource_status_reason")
    return [tuple(event[key] for key in keys) for event in reversed(found)]


@pytest.fixture
async def identity(world: Any) -> dict[str, str]:
    made: dict[str, str] = await world.create()
    await world.add_resource(made, "a", physical_id="phys-a", atomic_key=3)
    await world.add_resource(made, "b", physical_id="phys-b")
    return made


async def test_marking_and_taking_it_back(world: Any, identity: dict[str, str]) -> None:
    call = {"stack_identity": identity, "resource_name": "a"}
    marked = {**call, "mark_unhealthy": True, "resource_status_reason": "sick"}
    assert await world.call("resource_mark_unhealthy", **marked) is None
    row = (await world.rows(identity))["a"]
    assert (row.action, row.status, row.status_reason) == (Action.CHECK, Status.FAILED, "sick")
    assert row.atomic_key == 4
    assert row.engine_id is None

    await world.call("resource_mark_unhealthy", **call, mark_unhealthy=False)
    row = (await world.rows(identity))["a"]
    default = "state changed by resource_mark_unhealthy api"
    assert (row.action, row.status, row.status_reason) == (Action.CHECK, Status.COMPLETE, default)
    assert await events_of(world, identity) == [
        ("a", "CHECK", "FAILED", "sick"),
        ("a", "CHECK", "COMPLETE", default),
    ]


class Listening(NobodyListens):
    """Notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, str | None]] = []

    def stored(self, event: EventRecord, stack: StackRecord, context: RequestContext) -> None:
        self.heard.append((event.resource_status_reason, stack.id, context.user_id))


async def test_events_are_told_of(world: Any, identity: dict[str, str]) -> None:
    listening = Listening()
    world.parts = replace(world.parts, listener=listening)
    call = {"stack_identity": identity, "resource_name": "a", "mark_unhealthy": True}
    await world.call("resource_mark_unhealthy", **call, resource_status_reason="sick")
    await world.call("resource_mark_unhealthy", **call, resource_status_reason="again")
    row = (await world.rows(identity))["a"]
    await world.database.transaction(
        lambda connection: resource_data.set_many(connection, row.id, {"pre-update": "True"})
    )
    signal = {"stack_identity": identity, "resource_name": "a"}
    await world.call("resource_signal", **signal, details={"unset_hook": "pre-update"})
    assert listening.heard == [
        ("sick", identity["stack_id"], "u"),
        ("Hook pre-update is cleared", identity["stack_id"], "u"),
    ]


async def test_marking_twice_changes_the_reason_without_an_event(
    world: Any, identity: dict[str, str]
) -> None:
    for reason in ("sick", "sicker"):
        await world.call(
            "resource_mark_unhealthy", stack_identity=identity, **MARK,
            resource_status_reason=reason,
        )  # fmt: skip
    assert (await world.rows(identity))["a"].status_reason == "sicker"
    assert len(await events_of(world, identity)) == 1


async def test_nothing_to_take_back(world: Any, identity: dict[str, str]) -> None:
    await world.call(
        "resource_mark_unhealthy",
        stack_identity=identity,
        resource_name="a",
        mark_unhealthy=False,
        resource_status_reason="well",
    )
    row = (await world.rows(identity))["a"]
    assert (row.action, row.status, row.atomic_key) == (Action.CREATE, Status.COMPLETE, 3)
    assert await events_of(world, identity) == []


async def test_a_resource_that_is_being_deleted_stays_as_it_is(world: Any) -> None:
    identity = await world.create()
    await world.add_resource(identity, "a", action=Action.DELETE, status=Status.FAILED)
    await world.call("resource_mark_unhealthy", stack_identity=identity, **MARK)
    assert (await world.rows(identity))["a"].action is Action.DELETE


async def test_cached_attributes_go_with_the_mark(world: Any) -> None:
    identity = await world.create()
    data_id = await world.database.transaction(
        lambda connection: properties_data.insert(connection, {"output": "x"})
    )
    await world.add_resource(identity, "a", attributes_data_id=data_id)
    await world.call("resource_mark_unhealthy", stack_identity=identity, **MARK)
    assert (await world.rows(identity))["a"].attributes_data_id is None
    left = await world.database.read(lambda connection: properties_data.fetch(connection, data_id))
    assert left is None


async def test_by_physical_id_and_by_reference(world: Any, identity: dict[str, str]) -> None:
    call = {"stack_identity": identity, "mark_unhealthy": True}
    await world.call("resource_mark_unhealthy", resource_name="phys-b", **call)
    assert (await world.rows(identity))["b"].action is Action.CHECK

    template = {
        "heat_template_version": "2018-08-31",
        "resources": {"r": {"type": "OS::Heat::RandomString"}},
    }
    other = await world.create("st2", template)
    await world.add_resource(other, "r", physical_id="phys-r")
    row = (await world.rows(other))["r"]
    await world.database.transaction(
        lambda connection: resource_data.set_many(connection, row.id, {"value": "tExt"})
    )
    await world.call(
        "resource_mark_unhealthy", stack_identity=other, resource_name="tExt", mark_unhealthy=True
    )
    assert (await world.rows(other))["r"].action is Action.CHECK


async def test_what_cannot_be_found(world: Any, identity: dict[str, str]) -> None:
    with pytest.raises(ResourceNotFound) as caught:
        await world.call(
            "resource_mark_unhealthy", stack_identity=identity, resource_name="zz",
            mark_unhealthy=True,
        )  # fmt: skip
    assert str(caught.value) == "The Resource (zz) could not be found in Stack st1."


async def test_the_mark_must_be_a_boolean(world: Any, identity: dict[str, str]) -> None:
    with pytest.raises(Invalid) as caught:
        await world.call(
            "resource_mark_unhealthy", stack_identity=identity, resource_name="a",
            mark_unhealthy="yes",
        )  # fmt: skip
    assert str(caught.value) == "Data supplied was not valid: mark_unhealthy is not a boolean"


async def test_a_resource_that_somebody_works_on(world: Any) -> None:
    identity = await world.create()
    await world.add_resource(identity, "a", engine_id="e9")
    with pytest.raises(ActionInProgress) as caught:
        await world.call("resource_mark_unhealthy", stack_identity=identity, **MARK)
    assert str(caught.value) == "Stack st1 already has an action (CREATE) in progress."
    assert (await world.rows(identity))["a"].action is Action.CREATE


async def test_a_resource_without_a_row_yet(world: Any) -> None:
    identity = await world.create()
    with pytest.raises(ActionInProgress):
        await world.call("resource_mark_unhealthy", stack_identity=identity, **MARK)


async def test_a_change_in_between_is_looked_at_again(
    world: Any, identity: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = resources.update_if
    calls = []

    def once_too_late(connection: Connection, *arguments: Any, **keywords: Any) -> bool:
        calls.append(keywords)
        return len(calls) > 1 and real(connection, *arguments, **keywords)

    monkeypatch.setattr(resources, "update_if", once_too_late)
    await world.call("resource_mark_unhealthy", stack_identity=identity, **MARK)
    assert len(calls) == 2
    assert (await world.rows(identity))["a"].action is Action.CHECK


# --- signals -------------------------------------------------------------------------------------


async def test_a_type_that_takes_no_signals(world: Any, identity: dict[str, str]) -> None:
    for details in (None, {}, {"status": "SUCCESS"}, [1]):
        with pytest.raises(ResourceActionNotSupported) as caught:
            await world.call(
                "resource_signal", stack_identity=identity, resource_name="a", details=details
            )
        assert str(caught.value) == "signal is not supported for resource."
    assert await events_of(world, identity) == []


async def test_signals_to_nobody(world: Any) -> None:
    identity = await world.create()
    with pytest.raises(ResourceNotFound):
        await world.call(
            "resource_signal", stack_identity=identity, resource_name="zz", details=None
        )
    with pytest.raises(ResourceNotAvailable) as caught:
        await world.call(
            "resource_signal", stack_identity=identity, resource_name="a", details=None
        )
    assert str(caught.value) == "The Resource (a) is not available."


@pytest.mark.parametrize("action", [Action.SUSPEND, Action.DELETE])
async def test_an_action_that_forbids_signals(world: Any, action: Action) -> None:
    identity = await world.create()
    await world.add_resource(identity, "a", action=action, physical_id="phys-a")
    with pytest.raises(NotSupported) as caught:
        await world.call(
            "resource_signal",
            stack_identity=identity,
            resource_name="a",
            details={"unset_hook": "pre-create"},
        )
    assert str(caught.value) == f"Signal resource during {action} is not supported."
    reason = f"Cannot signal resource during {action}"
    assert await events_of(world, identity) == [("a", action, "COMPLETE", reason)]


async def test_hooks_that_are_not_there(world: Any, identity: dict[str, str]) -> None:
    subject = f'TestResource "a" [phys-a] Stack "st1" [{identity["stack_id"]}]'
    for hook, text in (
        ("nope", f'Invalid hook type "nope" for {subject}'),
        ("pre-update", f'The "pre-update" hook is not defined on {subject}'),
    ):
        with pytest.raises(InvalidBreakPointHook) as caught:
            await world.call(
                "resource_signal", stack_identity=identity, resource_name="a",
                details={"unset_hook": hook},
            )  # fmt: skip
        assert str(caught.value) == text


async def test_clearing_a_hook(world: Any, identity: dict[str, str]) -> None:
    row = (await world.rows(identity))["a"]
    await world.database.transaction(
        lambda connection: resource_data.set_many(connection, row.id, {"pre-update": "True"})
    )
    call = {"stack_identity": identity, "resource_name": "a"}
    answer = await world.call("resource_signal", **call, details={"unset_hook": "pre-update"})
    assert answer is None
    assert (await world.rows(identity))["a"].data == {}
    assert await events_of(world, identity) == [
        ("a", "CREATE", "COMPLETE", "Hook pre-update is cleared")
    ]
