from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from heat_core.errors import UpdateReplace
from heat_core.resources import (
    Change,
    PluginFailure,
    ResourceView,
    prepare_create,
    read_attribute,
    registry,
    resource_failure,
)

NET = registry.find("OS::Neutron::Net")
VOLUME = registry.find("OS::Cinder::Volume")
QUEUE = registry.find("OS::Zaqar::Queue")


def test_it_validates_and_refuses_to_be_created(
    script: Any, view: Callable[..., ResourceView]
) -> None:
    # Names and constraints of its service are not looked at: nobody could use the answer.
    props = script.run(prepare_create(script.io, NET, {"name": "n", "qos_policy": "gold"}))
    assert props["name"] == "n"
    assert script.asked == []

    with pytest.raises(PluginFailure) as caught:
        script.run(NET(view()).start_create(script.io, props))
    assert str(resource_failure(caught.value, "r")) == (
        "NotSupported: resources.r: OS::Neutron::Net can be validated but not created yet."
    )


def test_a_service_that_was_left_out(script: Any, view: Callable[..., ResourceView]) -> None:
    with pytest.raises(PluginFailure, match=r"^OS::Zaqar::Queue .* not created\.$"):
        script.run(QUEUE(view()).start_create(script.io, {}))


def test_what_was_never_made_is_gone_at_once(
    script: Any, view: Callable[..., ResourceView]
) -> None:
    resource = VOLUME(view())

    for action in ("delete", "check", "suspend", "resume", "snapshot"):
        script.run(getattr(resource, f"start_{action}")(script.io))
    assert script.run(read_attribute(script.io, resource, "status")) is None
    assert script.run(read_attribute(script.io, resource, "show")) is None
    assert script.asked == []


@pytest.mark.parametrize(
    ("action", "done"),
    [
        ("delete", "deleted"),
        ("check", "checked"),
        ("snapshot", "saved as a snapshot"),
    ],
)
def test_an_object_that_somebody_else_made_is_not_given_up(
    action: str, done: str, script: Any, view: Callable[..., ResourceView]
) -> None:
    resource = VOLUME(view(physical_id="v-1"))
    with pytest.raises(PluginFailure) as caught:
        script.run(getattr(resource, f"start_{action}")(script.io))
    assert str(caught.value) == f"OS::Cinder::Volume can be validated but not {done} yet."


def test_actions_that_are_nothing_for_the_type(
    script: Any, view: Callable[..., ResourceView]
) -> None:
    resource = VOLUME(view(physical_id="v-1"))

    script.run(resource.start_suspend(script.io))
    script.run(resource.start_resume(script.io))
    assert not VOLUME.supports("suspend")
    assert VOLUME.supports("SNAPSHOT")


def test_an_update_replaces_or_refuses(script: Any, view: Callable[..., ResourceView]) -> None:
    made = NET(view(physical_id="n-1"))
    with pytest.raises(UpdateReplace):
        script.run(
            made.start_update(script.io, Change(changed=frozenset({"name"}), before={}, after={}))
        )
    with pytest.raises(PluginFailure, match="not updated yet"):
        script.run(made.start_update(script.io, Change(changed=frozenset(), before={}, after={})))


def test_it_adopts_nothing(script: Any, view: Callable[..., ResourceView]) -> None:
    with pytest.raises(PluginFailure, match="not adopted yet"):
        script.run(NET(view()).start_adopt(script.io, {"resource_id": "n-1"}))


def test_attributes_of_such_an_object_cannot_be_read(
    script: Any, view: Callable[..., ResourceView]
) -> None:
    for name in ("status", "show"):
        with pytest.raises(PluginFailure, match="not asked for its attributes yet"):
            script.run(read_attribute(script.io, NET(view(physical_id="n-1")), name))


@pytest.mark.parametrize("name", registry.names())
def test_types_say_whether_they_can_act(
    name: str, script: Any, view: Callable[..., ResourceView]
) -> None:
    found = registry.find(name)
    if not found.is_built:
        with pytest.raises(PluginFailure, match=f"^{name} can be validated but not created"):
            script.run(found(view()).start_create(script.io, {}))
