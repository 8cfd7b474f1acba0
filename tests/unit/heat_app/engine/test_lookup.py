from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from heat_core import errors
from heat_core.rpc import RequestContext


async def test_by_name_and_by_id(world: Any, admin: RequestContext) -> None:
    identity = await world.create()
    for text in ("st1", identity["stack_id"], identity["stack_id"].upper()):
        assert await world.call("identify_stack", stack_name=text) == identity
    assert await world.call("identify_stack", admin, stack_name=identity["stack_id"]) == identity


async def test_a_deleted_stack_is_found_by_id_only(world: Any) -> None:
    identity = await world.create()
    await world.delete_row(identity)
    found = await world.call("identify_stack", stack_name=identity["stack_id"])
    assert found == identity
    with pytest.raises(errors.EntityNotFound, match=r"^The Stack \(st1\) could not be found.$"):
        await world.call("identify_stack", stack_name="st1")


async def test_a_name_that_looks_like_an_id(world: Any) -> None:
    name = "a1234567-89ab-4def-8123-456789abcdef"
    identity = await world.create(name)
    assert await world.call("identify_stack", stack_name=name) == identity


async def test_what_another_project_has_is_not_there(world: Any, other: RequestContext) -> None:
    identity = await world.create()
    for text in ("st1", identity["stack_id"]):
        with pytest.raises(errors.EntityNotFound):
            await world.call("identify_stack", other, stack_name=text)
    with pytest.raises(errors.EntityNotFound, match=r"The Stack \(st1\) could not be found."):
        await world.call("show_stack", other, stack_identity=identity)


async def test_users_of_the_stack_project_see_the_stack(world: Any, user: RequestContext) -> None:
    world.credentials.project = "SUP"
    identity = await world.create()
    inside = replace(user, project_id="SUP")
    assert await world.call("identify_stack", inside, stack_name="st1") == identity
    (shown,) = await world.call("show_stack", inside, stack_identity=identity)
    assert shown["stack_name"] == "st1"


async def test_the_identity_must_fit(world: Any, other: RequestContext) -> None:
    identity = await world.create()
    for wrong in ({"stack_name": "x"}, {"path": "/resources/a"}, {"stack_id": "x"}):
        with pytest.raises(errors.EntityNotFound):
            await world.call("list_outputs", stack_identity={**identity, **wrong})
    with pytest.raises(errors.InvalidTenant) as caught:
        await world.call("list_outputs", stack_identity={**identity, "tenant": "X"})
    assert str(caught.value) == "Searching Tenant X from Tenant PID forbidden."
    with pytest.raises(TypeError):
        await world.call("list_outputs", stack_identity={})


async def test_deleted_stacks_are_shown_where_they_may_be(world: Any) -> None:
    identity = await world.create()
    await world.delete_row(identity)
    (shown,) = await world.call("show_stack", stack_identity=identity)
    assert shown["deletion_time"] is not None
    for method in ("get_template", "get_environment", "get_files", "list_events"):
        await world.call(method, stack_identity=identity)
    for method in ("list_outputs", "delete_stack"):
        with pytest.raises(errors.EntityNotFound):
            await world.call(method, stack_identity=identity)
