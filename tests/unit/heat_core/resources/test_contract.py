from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import UpdateReplace
from heat_core.resources import Change, ResourceType, registry


class Plain(ResourceType):
    """A type that only has a name."""

    name = "Vec::Plain"


def test_the_text_of_a_resource(view: Any) -> None:
    assert str(Plain(view())) == 'Plain "r" Stack "st" [stack-1]'
    assert str(Plain(view(physical_id="p"))) == 'Plain "r" [p] Stack "st" [stack-1]'


def test_reference(view: Any) -> None:
    assert Plain(view()).reference_id() == "r"
    assert Plain(view(physical_id="p")).reference_id() == "p"


def test_services() -> None:
    project = registry.find("OS::Keystone::Project")

    assert Plain.unavailable_reason([]) is None
    assert project.unavailable_reason(["identity"]) is None
    assert project.unavailable_reason(["compute"]) == (
        "keystone identity endpoint is not in service catalog."
    )


def test_which_actions_a_type_supports() -> None:
    assert registry.find("OS::Heat::TestResource").supports("CHECK")
    assert registry.find("OS::Heat::Delay").supports("suspend")
    assert not Plain.supports("check")
    assert not Plain.supports("signal")


def test_by_default_properties_do_not_change_in_place(script: Any, view: Any) -> None:
    resource = Plain(view())
    nothing = Change(changed=frozenset(), before={}, after={}, metadata_changed=True)
    script.run(resource.start_update(script.io, nothing))

    with pytest.raises(UpdateReplace, match="The Resource r requires replacement"):
        script.run(
            resource.start_update(
                script.io, Change(changed=frozenset({"a"}), before={"a": 1}, after={"a": 2})
            )
        )


def test_by_default_actions_do_nothing(script: Any, view: Any) -> None:
    resource = Plain(view(physical_id="p"))
    change = Change(changed=frozenset(), before={}, after={})
    resource.validate({})
    for procedure in (
        resource.start_create(script.io, {}),
        resource.finish_create(script.io),
        resource.finish_update(script.io, change),
        resource.prepare_replace(script.io),
        resource.restore_replaced(script.io),
        *(
            getattr(resource, f"{step}_{action}")(script.io)
            for action in ("delete", "check", "suspend", "resume", "snapshot")
            for step in ("start", "finish")
        ),
        resource.start_adopt(script.io, {}),
        resource.finish_adopt(script.io),
    ):
        assert script.run(procedure) is None
    assert script.run(resource.find(script.io, {})) is None
    assert script.run(resource.attribute(script.io, "x")) is None
    assert script.run(resource.show(script.io)) is None
    assert script.asked == []


def test_a_change_tells_new_values() -> None:
    change = Change(changed=frozenset({"a"}), before={"a": 1, "b": 1}, after={"a": 2, "b": 1})

    assert change.difference == {"a": 2}
    assert not change.of_definition
