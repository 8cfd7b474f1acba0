from __future__ import annotations

from typing import Any

import pytest

from heat_core.procedure import Datum, Sleep, StoreCreated, StoreData
from heat_core.resources import Change, bind, error_class, registry
from heat_core.stack.states import Action, Status

TYPE = registry.find("OS::Heat::TestResource")


def values(**data: Any) -> dict[str, Any]:
    return bind(TYPE, data).values_by_name()


def change(before: dict[str, Any], after: dict[str, Any]) -> Change:
    old, new = values(**before), values(**after)
    return Change(
        changed=frozenset(name for name in new if new[name] != old[name]), before=old, after=new
    )


def test_create_stores_the_value_and_the_physical_name(script: Any, view: Any) -> None:
    script.run(TYPE(view()).start_create(script.io, values(value="v")))

    assert script.asked == [StoreCreated("st-r-abc", (Datum("value", "v"),))]


def test_a_failing_create_stores_nothing_and_fails_after_the_wait(script: Any, view: Any) -> None:
    data = {"fail": True, "wait_secs": 2}
    resource = TYPE(view(properties=data))
    script.run(resource.start_create(script.io, values(**data)))

    with pytest.raises(ValueError, match=r"^Test Resource failed r$"):
        script.run(resource.finish_create(script.io))
    assert script.asked == [Sleep(2.0)]


@pytest.mark.parametrize(
    ("data", "seconds"),
    [
        ({}, []),
        ({"wait_secs": 1.5}, [1.5]),
        ({"wait_secs": 1, "action_wait_secs": {"create": 3}}, [3.0]),
        ({"wait_secs": 1, "action_wait_secs": {"create": 0}}, []),
        ({"wait_secs": 1, "action_wait_secs": {"delete": 3}}, [1.0]),
    ],
)
def test_create_waits(script: Any, view: Any, data: dict[str, Any], seconds: list[float]) -> None:
    script.run(TYPE(view(properties=data)).finish_create(script.io))

    assert [request.seconds for request in script.asked] == seconds


def test_below_zero_it_waits_for_ever(script: Any, view: Any) -> None:
    procedure = TYPE(view(properties={"wait_secs": -1})).finish_create(script.io)

    first = procedure.send(None)
    assert [type(procedure.send(None)) for _ in range(100)] == [type(first)] * 100
    procedure.close()


def test_update_stores_the_new_value_and_waits(script: Any, view: Any) -> None:
    resource = TYPE(view(physical_id="x"))
    changed = change({"value": "a"}, {"value": "b", "wait_secs": 4})
    script.run(resource.start_update(script.io, changed))
    script.run(resource.finish_update(script.io, changed))

    assert script.asked == [StoreData((Datum("value", "b"),)), Sleep(4.0)]


def test_update_without_a_new_value_does_not_wait(script: Any, view: Any) -> None:
    resource = TYPE(view(physical_id="x"))
    changed = change({}, {"wait_secs": 4})
    script.run(resource.start_update(script.io, changed))
    script.run(resource.finish_update(script.io, changed))

    assert script.asked == []


def test_a_failing_update_keeps_the_old_value(script: Any, view: Any) -> None:
    resource = TYPE(view(physical_id="x"))
    changed = change({"value": "a"}, {"value": "b", "fail": True})
    script.run(resource.start_update(script.io, changed))

    with pytest.raises(ValueError, match=r"Test Resource failed r"):
        script.run(resource.finish_update(script.io, changed))
    assert script.asked == []


def test_a_changed_value_replaces_when_told_so(view: Any) -> None:
    resource = TYPE(view())

    assert resource.needs_replace_with_prop_diff(change({}, {"value": "b", "update_replace": True}))
    assert not resource.needs_replace_with_prop_diff(change({}, {"update_replace": True}))
    assert not resource.needs_replace_with_prop_diff(change({}, {"value": "b"}))


def test_delete_waits_and_never_fails(script: Any, view: Any) -> None:
    data = {"fail": True, "action_wait_secs": {"delete": 2}}
    script.run(TYPE(view(properties=data)).finish_delete(script.io))

    assert script.asked == [Sleep(2.0)]


def test_check_of_what_was_never_made_fails(script: Any, view: Any) -> None:
    with pytest.raises(Exception, match=r"^Resource not created$") as caught:
        script.run(TYPE(view()).start_check(script.io))
    assert error_class(caught.value) == "Exception"
    script.run(
        TYPE(view(physical_id="x", action=Action.CREATE, status=Status.COMPLETE)).start_check(
            script.io
        )
    )


def test_output_is_the_stored_value_after_a_wait(script: Any, view: Any) -> None:
    resource = TYPE(view(data={"value": "v"}, properties={"attr_wait_secs": 1}))

    assert script.run(resource.attribute(script.io, "output")) == "v"
    assert script.asked == [Sleep(1)]


def test_refers_to_the_physical_id(view: Any) -> None:
    assert TYPE(view()).reference_id() == "r"
    assert TYPE(view(physical_id="st-r-abc")).reference_id() == "st-r-abc"
