from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection, func, select

from heat_core import errors
from heat_core.rpc import RequestContext
from heat_core.stack import Action, ResourceId, StackId, Status, TemplateId
from heat_io.database import CommitUnknown, resources, stacks, templates, user_creds
from heat_io.database import tags as stack_tags
from heat_io.database.schema import raw_template, stack

# --- create ----------------------------------------------------------------------------------


async def test_create_stores_the_stack_and_begins(world: Any, template: dict[str, Any]) -> None:
    identity = await world.create(
        params={"parameters": {"p": "two", "h": "hush"}},
        files={"f": "text"},
        args={"timeout_mins": 5, "disable_rollback": False, "tags": ["t1", "t2"]},
    )
    row = await world.stack(identity)
    assert identity == {
        "tenant": "PID",
        "stack_name": "st1",
        "stack_id": row.id,
        "path": "",
    }
    assert (row.action, row.status) == (Action.CREATE, Status.IN_PROGRESS)
    assert (row.timeout, row.disable_rollback, row.username) == (5, False, "uname")
    assert (row.owner_id, row.nested_depth, row.convergence) == (None, 0, True)
    assert row.current_traversal
    (begun,) = world.operations.begun
    assert (begun.stack_id, begun.action, begun.template_id) == (row.id, Action.CREATE, None)

    def stored(connection: Connection) -> tuple[Any, Any, Any]:
        record = templates.fetch(connection, row.raw_template_id)
        assert record is not None
        files = templates.fetch_files(connection, record)
        return record, files, stack_tags.fetch(connection, row.id)

    record, files, tags = await world.database.read(stored)
    assert record.template == template
    assert record.environment["parameters"] == {"p": "two", "h": "hush"}
    assert files == {"f": "text"}
    assert tags == ("t1", "t2")


async def test_create_without_options(world: Any) -> None:
    row = await world.stack(await world.create())
    assert (row.timeout, row.disable_rollback) == (None, True)


@pytest.mark.parametrize("name", ["1st", "a b", ""])
async def test_a_bad_name(world: Any, name: str) -> None:
    with pytest.raises(errors.StackValidationFailed, match=r"^Invalid stack name "):
        await world.create(name)
    assert world.operations.begun == []


async def test_a_name_is_taken_until_its_stack_is_deleted(
    world: Any, other: RequestContext
) -> None:
    identity = await world.create()
    with pytest.raises(errors.StackExists, match=r"^The Stack \(st1\) already exists.$"):
        await world.create()
    await world.create(context=other)
    await world.delete_row(identity)
    await world.create()


async def test_the_later_of_two_creates_is_taken_back(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stacks, "is_earliest_of_its_name", lambda connection, record: False)
    with pytest.raises(errors.StackExists):
        await world.create()

    def count(connection: Connection) -> tuple[int, int]:
        return (
            connection.execute(select(func.count()).select_from(stack)).scalar_one(),
            connection.execute(select(func.count()).select_from(raw_template)).scalar_one(),
        )

    assert await world.database.read(count) == (0, 0)
    assert world.operations.begun == []


async def test_a_project_may_have_so_many_stacks(world: Any, admin: RequestContext) -> None:
    world.set(max_stacks_per_tenant=1, hidden_stack_tags=("hidden",))
    await world.create("hidden", args={"tags": ["hidden"]})
    await world.create("first")
    with pytest.raises(errors.RequestLimitExceeded) as caught:
        await world.create("second")
    assert str(caught.value) == (
        "Request limit exceeded: You have reached the maximum stacks per tenant, 1. "
        "Please delete some stacks."
    )
    await world.create("admins", context=replace(admin, project_id="PID"))
    world.set(max_stacks_per_tenant=-1)
    await world.create("second")


async def test_a_stack_may_have_so_many_resources(world: Any) -> None:
    world.set(max_resources_per_stack=1)
    with pytest.raises(errors.RequestLimitExceeded) as caught:
        await world.create()
    assert str(caught.value) == ("Request limit exceeded: Maximum resources per stack exceeded.")
    world.set(max_resources_per_stack=-1)
    await world.create()


async def test_mistakes_in_sections_are_validation_failures(world: Any) -> None:
    with pytest.raises(errors.StackValidationFailed) as caught:
        await world.create(template={"heat_template_version": "2018-08-31", "nonsense": {}})
    assert str(caught.value) == "The template section is invalid: nonsense"


async def test_policy_forbids_types(world: Any) -> None:
    world.forbidden.add("OS::Heat::TestResource")
    with pytest.raises(errors.Forbidden) as caught:
        await world.create()
    assert str(caught.value) == "You are not authorized to use OS::Heat::TestResource."


async def test_what_must_act_later_needs_a_password_where_trusts_are_off(world: Any) -> None:
    member = {"type": "OS::Heat::RandomString"}
    group = {"type": "OS::Heat::ResourceGroup", "properties": {"resource_def": member}}
    template = {"heat_template_version": "2018-08-31", "resources": {"g": group}}
    user = RequestContext(project_id="PID", roles=("member",))
    world.set(deferred_auth_method="password")
    await world.create(context=user)
    for context, missing in (
        (user, "Missing required credential: X-Auth-User"),
        (replace(user, username="u"), "Missing required credential: X-Auth-Key"),
    ):
        with pytest.raises(errors.MissingCredentialError) as caught:
            await world.create("st2", template, context)
        assert str(caught.value) == missing
    await world.create("st2", template, replace(user, username="u", password="p"))
    world.set(deferred_auth_method="trusts")
    identity = await world.create("st3", template, user)
    world.set(deferred_auth_method="password")
    with pytest.raises(errors.MissingCredentialError):
        await world.call(
            "update_stack",
            user,
            stack_identity=identity,
            template=template,
            params={},
            files={},
            args={},
        )


async def test_what_the_validator_finds_is_raised(world: Any) -> None:
    world.validator.error = errors.UserParameterMissing(key="p")
    with pytest.raises(errors.UserParameterMissing):
        await world.create()
    assert world.validator.validated == [(True, frozenset())]
    assert world.credentials.created == []


async def test_credentials_are_stored_before_the_stack_and_discarded_with_it(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    async def create(context: RequestContext) -> int:
        creds = user_creds.UserCreds(trust_id="t", trustor_user_id="u")
        made.append(await world.database.transaction(lambda c: user_creds.insert(c, creds)))
        return made[-1]

    monkeypatch.setattr(world.credentials, "create", create)
    row = await world.stack(await world.create())
    assert row.user_creds_id == made[0]
    monkeypatch.setattr(stacks, "is_earliest_of_its_name", lambda connection, record: False)
    with pytest.raises(errors.StackExists):
        await world.create("second")
    assert world.credentials.discarded == [made[1]]


async def test_a_stack_project_is_stored_with_the_beginning(world: Any) -> None:
    world.credentials.project = "SUP"
    row = await world.stack(await world.create())
    assert row.stack_user_project_id == "SUP"


async def test_a_nested_stack_takes_its_place_from_its_parent(world: Any) -> None:
    parent = await world.create()
    assert world.validator.patience_seconds == 0  # a user waits for the answer
    template_id = (await world.stack(parent)).raw_template_id
    identity = await world.create(
        await world.asks(parent, "g"),
        None,
        template_id=template_id,
        owner_id=parent["stack_id"],
        nested_depth=1,
        stack_user_project_id="SUP",
        parent_resource_name="g",
    )
    row = await world.stack(identity)
    assert (row.owner_id, row.nested_depth) == (parent["stack_id"], 1)
    assert (row.parent_resource_name, row.stack_user_project_id) == ("g", "SUP")
    assert row.raw_template_id == template_id
    assert world.validator.patience_seconds > 0
    world.validator.patience_seconds = 0
    await world.call(
        "update_stack",
        stack_identity=identity,
        template=None,
        params=None,
        files=None,
        args={},
        template_id=template_id,
    )
    assert world.validator.patience_seconds > 0


async def test_a_nested_stack_that_its_resource_has_given_up_is_not_made(world: Any) -> None:
    parent = await world.create()
    place = {"owner_id": parent["stack_id"], "parent_resource_name": "g", "user_creds_id": 1}
    for given_up in ({"engine_id": None}, {"action": Action.DELETE}, {"uuid": str(uuid4())}):
        name = await world.asks(parent, "g")
        row = (await world.rows(parent))["g"]
        await world.database.transaction(partial(_change_row, row_id=row.id, values=given_up))
        with pytest.raises(errors.EntityNotFound, match=r"The Resource \(g\) could not be found"):
            await world.create(name, **place)
    assert await world.call("count_stacks", show_nested=True) == 1
    await world.delete_row(parent)
    with pytest.raises(errors.EntityNotFound):
        await world.create(name, **place)


def _change_row(connection: Connection, row_id: ResourceId, values: Mapping[str, Any]) -> None:
    resources.update(connection, row_id, values)


async def test_environment_files_are_merged(world: Any) -> None:
    identity = await world.create(
        params={"parameters": {"p": "body"}},
        files={"env": "parameters:\n  p: file\n"},
        environment_files=["env"],
    )
    environment = await world.call("get_environment", stack_identity=identity)
    assert environment["parameters"] == {"p": "file"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"files_container": "c"},
        {"args": {"adopt_stack_data": '{"heat_template_version": "2018-08-31"}'}},
    ],
)
async def test_what_is_not_built_says_so(world: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(errors.NotSupported):
        await world.create(**arguments)


# --- update ----------------------------------------------------------------------------------


async def _update(world: Any, identity: Mapping[str, str], template: Any, **arguments: Any) -> Any:
    given = {"params": {}, "files": {}, "args": {}, **arguments}
    return await world.call("update_stack", stack_identity=identity, template=template, **given)


async def _tags(world: Any, identity: Mapping[str, str]) -> tuple[str, ...]:
    found: tuple[str, ...] = await world.database.read(
        lambda connection: stack_tags.fetch(connection, StackId(identity["stack_id"]))
    )
    return found


async def test_update_stores_the_template_and_begins(world: Any, template: dict[str, Any]) -> None:
    identity = await world.create(args={"tags": ["t"], "timeout_mins": 3})
    world.credentials.refreshed = 7
    before = await world.stack(identity)

    async def no_store(*args: Any, **kwargs: Any) -> None:
        world.operations.begun.append((args, kwargs))

    world.operations.begin = no_store
    answer = await _update(
        world,
        identity,
        template,
        params={"parameters": {"p": "new"}},
        args={"timeout_mins": 9, "disable_rollback": False},
    )
    assert answer == identity
    args, kwargs = world.operations.begun[-1]
    assert args[1:] == (before.id, Action.UPDATE)
    assert kwargs["changes"] == {"timeout": 9, "disable_rollback": False, "user_creds_id": 7}
    assert kwargs["template_id"] != before.raw_template_id
    record = await world.database.read(
        lambda connection: templates.fetch(connection, TemplateId(kwargs["template_id"]))
    )
    assert record.environment["parameters"] == {"p": "new"}
    assert await _tags(world, identity) == ()


async def test_update_keeps_what_is_not_given(world: Any, template: dict[str, Any]) -> None:
    identity = await world.create(args={"timeout_mins": 3, "disable_rollback": False})
    await _update(world, identity, template)
    assert world.operations.begun[-1].changes == {}


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Action.SUSPEND, "Updating a stack when it is suspended is not supported."),
        (Action.DELETE, "Updating a stack when it is deleting is not supported."),
    ],
)
async def test_states_that_forbid_an_update(
    world: Any, template: dict[str, Any], action: Action, text: str
) -> None:
    identity = await world.create()
    await world.change(identity, action=action, status=Status.COMPLETE)
    with pytest.raises(errors.NotSupported) as caught:
        await _update(world, identity, template)
    assert str(caught.value) == text


async def test_immutable_parameters(world: Any, template: dict[str, Any]) -> None:
    fixed = dict(template, parameters={"p": {"type": "string", "immutable": True}})
    values = {"parameters": {"p": "a"}}
    identity = await world.create(template=fixed, params=values)
    await _update(world, identity, fixed, params=values)
    with pytest.raises(errors.ImmutableParameterModified) as caught:
        await _update(world, identity, fixed, params={"parameters": {"p": "b"}})
    assert str(caught.value) == ("The following parameters are immutable and may not be updated: p")


async def test_an_update_is_validated_and_limited(world: Any, template: dict[str, Any]) -> None:
    identity = await world.create()
    world.validator.error = errors.StackValidationFailed(message="no")
    with pytest.raises(errors.StackValidationFailed, match=r"^no$"):
        await _update(world, identity, template)
    world.set(max_resources_per_stack=1)
    with pytest.raises(errors.RequestLimitExceeded):
        await _update(world, identity, template)
    assert len(world.operations.begun) == 1


async def test_an_unknown_stack(world: Any, template: dict[str, Any]) -> None:
    identity = await world.create()
    with pytest.raises(errors.EntityNotFound):
        await _update(world, dict(identity, stack_name="x"), template)


async def test_a_patch_lays_the_request_over_what_is_there(
    world: Any, template: dict[str, Any]
) -> None:
    identity = await world.create(
        params={"parameters": {"p": "kept", "h": "cleared"}},
        files={"a": "1", "b": "2"},
        args={"tags": ["t"]},
    )
    await _update(
        world,
        identity,
        None,
        params={"parameters": {}},
        files={"b": "3"},
        args={"existing": True, "clear_parameters": ["h"]},
    )
    assert await world.call("get_template", stack_identity=identity) == template
    environment = await world.call("get_environment", stack_identity=identity)
    assert environment["parameters"] == {"p": "kept"}
    assert await world.call("get_files", stack_identity=identity) == {"a": "1", "b": "3"}
    assert await _tags(world, identity) == ("t",)


async def test_a_patch_drops_parameters_that_the_new_template_lacks(
    world: Any, template: dict[str, Any]
) -> None:
    identity = await world.create(params={"parameters": {"p": "kept", "h": "gone"}})
    smaller = dict(template, parameters={"p": {"type": "string"}})
    await _update(world, identity, smaller, args={"existing": True, "tags": ["new"]}, params={})
    environment = await world.call("get_environment", stack_identity=identity)
    assert environment["parameters"] == {"p": "kept"}
    assert await _tags(world, identity) == ("new",)


async def test_an_update_to_a_template_that_is_stored(world: Any) -> None:
    identity = await world.create()
    template_id = (await world.stack(identity)).raw_template_id
    await _update(world, identity, None, template_id=template_id)
    assert world.operations.begun[-1].template_id == template_id
    with pytest.raises(errors.EntityNotFound):
        await _update(world, identity, None, template_id=99)


# --- delete ----------------------------------------------------------------------------------


async def test_delete_begins(world: Any) -> None:
    identity = await world.create()
    world.credentials.refreshed = None
    assert await world.call("delete_stack", stack_identity=identity) is None
    begun = world.operations.begun[-1]
    assert (begun.stack_id, begun.action, begun.changes) == (
        identity["stack_id"],
        Action.DELETE,
        {},
    )


async def test_delete_of_what_is_gone(world: Any, other: RequestContext) -> None:
    identity = await world.create()
    with pytest.raises(errors.EntityNotFound):
        await world.call("delete_stack", other, stack_identity=identity)
    await world.change(identity, action=Action.DELETE, status=Status.COMPLETE)
    with pytest.raises(errors.EntityNotFound, match=r"The Stack \(st1\) could not be found."):
        await world.call("delete_stack", stack_identity=identity)
    await world.delete_row(identity)
    with pytest.raises(errors.EntityNotFound):
        await world.call("delete_stack", stack_identity=identity)
    assert len(world.operations.begun) == 1


async def test_a_commit_whose_fate_is_unknown_is_looked_up_and_repeated_if_need_be(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    transaction = world.database.transaction

    async def applied(unit: Any) -> Any:
        monkeypatch.setattr(world.database, "transaction", transaction)
        await transaction(unit)
        raise CommitUnknown("gone")

    async def not_applied(unit: Any) -> Any:
        monkeypatch.setattr(world.database, "transaction", transaction)
        raise CommitUnknown("gone")

    monkeypatch.setattr(world.database, "transaction", applied)
    await world.create("one")
    monkeypatch.setattr(world.database, "transaction", not_applied)
    await world.create("two")
    assert len(world.operations.begun) == 2
