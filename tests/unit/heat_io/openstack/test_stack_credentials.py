from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import httpx2
import pytest
import trio
from fake_keystone import Answer, Asked, FakeKeystone
from sqlalchemy import Connection, text
from trio.testing import MockClock, wait_all_tasks_blocked

from heat_core.errors import (
    AuthorizationFailure,
    Error,
    InvalidEncryptionKey,
    MissingCredentialError,
)
from heat_core.procedure import ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack.ids import StackId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Ambient,
    Cipher,
    Database,
    InlineExecutor,
    memory_engine,
    stacks,
    templates,
    upgrade,
    user_creds,
)
from heat_io.openstack import Password, StoredCredentials, Trust, credentials_of
from heat_io.openstack.stack_credentials import StackCredentials
from heat_io.patience import PATIENCE_SECONDS

KEY = "abcdefghijklmnopqrstuvwxyz012345"


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    around = Ambient(cipher=Cipher(KEY))
    engine = memory_engine(around)
    with engine.begin() as connection:
        upgrade(connection)
    async with Database.over(InlineExecutor(engine), surroundings=around) as opened:
        yield opened
    engine.dispose()


@pytest.fixture
def make(cloud, database: Database) -> Callable[..., StackCredentials]:
    def credentials(**options: Any) -> StackCredentials:
        parts = cloud.openstack
        return StackCredentials(
            database,
            options.pop("services", parts.services),
            options.pop("trusts", parts.trusts),
            parts.stack_domain,
            **options,
        )

    return credentials


async def context_of(cloud, name: str = "demo") -> RequestContext:
    info = await cloud.token(name)
    context = await cloud.openstack.authenticator.authenticate({"X-Auth-Token": info.token})
    assert isinstance(context, RequestContext)
    return context


async def stored_stack(database: Database, **fields: Any) -> StackRecord:
    def unit(connection: Connection) -> StackRecord:
        template = templates.insert(connection, {"heat_template_version": "2018-08-31"}, {})
        record = StackRecord(
            id=StackId(str(uuid.uuid4())),
            name="st",
            tenant="p",
            raw_template_id=template.id,
            action=Action.CREATE,
            status=Status.COMPLETE,
            **fields,
        )
        stacks.insert(connection, record)
        return record

    return await database.transaction(unit)


async def rows(database: Database) -> list[int]:
    query = text("SELECT id FROM user_creds ORDER BY id")
    return await database.read(lambda connection: list(connection.execute(query).scalars()))


async def reread(database: Database, stack: StackRecord) -> StackRecord:
    found = await database.read(lambda connection: stacks.fetch(connection, stack.id))
    assert found is not None
    return found


async def test_a_new_stack_gets_a_trust_and_a_row(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(), await context_of(cloud)
    creds_id = await credentials.create(context)
    (trust_id,) = keystone.trusts
    row = await database.read(lambda connection: user_creds.fetch(connection, creds_id))
    assert row == user_creds.UserCreds(
        trust_id=trust_id,
        trustor_user_id=keystone.user_id("demo"),
        tenant="demo",
        tenant_id=keystone.project_id("demo"),
        auth_url=context.auth_url,
    )
    stack = await stored_stack(database, user_creds_id=creds_id)
    assert await credentials.for_stack(stack) == Trust(trust_id, keystone.user_id("demo"))


async def test_a_row_that_cannot_be_written_leaves_no_trust(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    await database.transaction(lambda connection: connection.execute(text("DROP TABLE user_creds")))
    with pytest.raises(Exception, match="user_creds"):
        await make().create(await context_of(cloud))
    assert keystone.trusts == {}
    assert keystone.count("DELETE", "/v3/OS-TRUST") == 1


async def test_a_caller_who_goes_away_does_not_cut_trust_and_row_apart(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context, gate = make(), await context_of(cloud), trio.Event()

    async def wait(_: Asked) -> None:
        await gate.wait()

    keystone.script("POST", "/v3/OS-TRUST", wait)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(credentials.create, context)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        gate.set()
    assert len(keystone.trusts) == len(await rows(database)) == 1


async def test_a_keystone_that_hangs_does_not_hold_the_caller_for_ever(
    cloud, keystone: FakeKeystone, make, autojump_clock: MockClock
) -> None:
    credentials, context = make(), await context_of(cloud)

    async def never(_: Asked) -> None:
        await trio.sleep_forever()

    keystone.script("POST", "/v3/OS-TRUST", never)
    with pytest.raises((ServiceError, trio.TooSlowError)):
        await credentials.create(context)
    keystone.script("POST", "/v3/projects", never)
    with pytest.raises(Error):
        await credentials.create_project(context, StackId("s"))


async def test_refusals_come_through(cloud, keystone: FakeKeystone, database, make) -> None:
    keystone.script("POST", "/v3/OS-TRUST", Answer(404, {"error": {"message": "role"}}))
    with pytest.raises(MissingCredentialError):
        await make().create(await context_of(cloud))
    assert await rows(database) == []


async def test_passwords_are_stored_when_that_is_the_method(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials = make(method="password")
    context = replace(await context_of(cloud), username="demo", password="secret")
    creds_id = await credentials.create(context)
    stack = await stored_stack(database, user_creds_id=creds_id)
    stored = await credentials.for_stack(stack)
    assert isinstance(stored, Password)
    session = await cloud.openstack.services.session(stored)
    assert session.info is not None
    assert session.info.project_name == "demo"
    assert await credentials.refresh(await context_of(cloud, "alt_demo"), stack) is None
    with pytest.raises(Error, match="Length of OS_PASSWORD after encryption exceeds Heat limit"):
        await credentials.create(replace(context, password="x" * 255))
    assert keystone.trusts == {}
    await credentials.remove(stack)
    assert await rows(database) == []


async def test_a_token_serves_where_no_password_was_left(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(method="password"), await context_of(cloud)
    stack = await stored_stack(database, user_creds_id=await credentials.create(context))
    with pytest.raises(AuthorizationFailure):
        await credentials.for_stack(stack)
    assert await credentials.for_stack(stack, context) == credentials_of(context)
    with pytest.raises(AuthorizationFailure):
        await credentials.for_stack(stack, RequestContext())
    gone = await stored_stack(database)
    assert await credentials.for_stack(gone, context) == credentials_of(context)
    with pytest.raises(Error, match="no user_creds"):
        await credentials.for_stack(gone, RequestContext())
    trusted = await stored_stack(database, user_creds_id=await make().create(context))
    assert isinstance(await credentials.for_stack(trusted, context), Trust)


async def test_taking_back(cloud, keystone: FakeKeystone, database: Database, make) -> None:
    credentials, context = make(), await context_of(cloud)
    await credentials.discard(context, await credentials.create(context))
    assert keystone.trusts == {}
    assert await rows(database) == []
    await credentials.discard(context, 4711)


async def test_nested_stacks_use_their_roots_credentials(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials = make()
    creds_id = await credentials.create(await context_of(cloud))
    root = await stored_stack(database, user_creds_id=creds_id)
    child = await stored_stack(database, owner_id=root.id, nested_depth=1)
    grandchild = await stored_stack(database, owner_id=child.id, nested_depth=2)
    expected = await credentials.for_stack(root)
    assert await credentials.for_stack(grandchild) == expected
    await credentials.remove(replace(child, user_creds_id=creds_id, stack_user_project_id="p"))
    assert len(keystone.trusts) == 1, "the root's are not the child's to remove"


# --- what goes on to other engines ---------------------------------------------------------------


async def test_messages_say_who_asked_and_act_through_the_trust(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(), await context_of(cloud)
    stack = await stored_stack(database, user_creds_id=await credentials.create(context))
    (trust_id,) = keystone.trusts
    asked = len(keystone.requests)
    acting = await credentials.context_for(stack, context)
    assert len(keystone.requests) == asked, "a user's request says who that is"
    assert acting == replace(
        context,
        project_id="p",
        trust_id=trust_id,
        trustor_user_id=keystone.user_id("demo"),
        auth_token=None,
        auth_token_info=None,
    )


async def test_where_nobody_asked_keystone_says_who_acts(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(), await context_of(cloud)
    creds_id = await credentials.create(context)
    stack = await stored_stack(database, user_creds_id=creds_id, username="demo")
    acting = await credentials.context_for(stack, RequestContext(request_id="req-1"))
    assert acting == RequestContext(
        request_id="req-1",
        user_id=context.user_id,
        username="demo",
        project_id="p",
        project_name=context.project_name,
        user_domain_id=context.user_domain_id,
        project_domain_id=context.project_domain_id,
        roles=context.roles,
        auth_url=context.auth_url,
        region_name=context.region_name,
        trust_id=next(iter(keystone.trusts)),
        trustor_user_id=context.user_id,
    )
    assert acting.roles


async def test_nobody_is_said_to_act_while_keystone_cannot_tell_who(
    cloud, keystone: FakeKeystone, database: Database, make, autojump_clock: MockClock
) -> None:
    credentials = make()
    creds_id = await credentials.create(await context_of(cloud))
    stack = await stored_stack(database, user_creds_id=creds_id)
    keystone.script("POST", "/v3/auth/tokens", *[Answer(500)] * 20)
    with pytest.raises(ServiceError):
        await credentials.context_for(stack, RequestContext())


async def test_credentials_that_cannot_be_read_are_said_to_be_so(
    cloud, database: Database, make
) -> None:
    creds_id = await make().create(await context_of(cloud))
    stack = await stored_stack(database, user_creds_id=creds_id)
    spoil = text("UPDATE user_creds SET trust_id = 'x', decrypt_method = 'oslo_decrypt_v1'")
    await database.transaction(lambda connection: connection.execute(spoil))
    for asking in (make().for_stack(stack), make().context_for(stack, RequestContext())):
        with pytest.raises(InvalidEncryptionKey):
            await asking


async def test_a_stack_without_credentials(database: Database, make) -> None:
    orphan = await stored_stack(database, owner_id=StackId(str(uuid.uuid4())))
    for stack in (await stored_stack(database), orphan, replace(orphan, user_creds_id=4711)):
        with pytest.raises(Error, match="Attempt to use stored_context with no user_creds"):
            await make().for_stack(stack)


async def test_another_users_update_renews_the_credentials(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials = make()
    old_id = await credentials.create(await context_of(cloud))
    root = await stored_stack(database, user_creds_id=old_id)
    child = await stored_stack(database, user_creds_id=old_id, owner_id=root.id)
    (old_trust,) = keystone.trusts
    assert await credentials.refresh(await context_of(cloud), root) is None, "the same user"

    new_id = await credentials.refresh(await context_of(cloud, "alt_demo"), root)
    assert new_id is not None
    assert await rows(database) == [new_id]
    (trust,) = keystone.trusts.values()
    assert trust["trustor_user_id"] == keystone.user_id("alt_demo")
    assert trust["id"] != old_trust
    for stack in (root, child):
        stack = await reread(database, stack)
        assert stack.user_creds_id == new_id
        assert await credentials.for_stack(stack) == Trust(trust["id"], trust["trustor_user_id"])


async def test_work_for_the_stack_itself_renews_nothing(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials = make()
    creds_id = await credentials.create(await context_of(cloud))
    stack = await stored_stack(database, user_creds_id=creds_id)
    (trust_id,) = keystone.trusts
    stored = StoredCredentials(trust_id=trust_id, trustor_user_id=keystone.user_id("demo"))
    assert await credentials.refresh(stored.context(), stack) is None
    assert await credentials.refresh(stored.context(), replace(stack, user_creds_id=None)) is None
    assert await credentials.refresh(stored.context(), replace(stack, user_creds_id=99)) is None


async def test_of_two_who_renew_at_once_one_takes_back(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials = make()
    creds_id = await credentials.create(await context_of(cloud))
    stack = await stored_stack(database, user_creds_id=creds_id)
    results: list[int | None] = []

    async def renew(name: str) -> None:
        results.append(await credentials.refresh(await context_of(cloud, name), stack))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(renew, "alt_demo")
        nursery.start_soon(renew, "admin")
    assert results.count(None) == 1
    (row,) = await rows(database)
    assert row in results
    stack = await reread(database, stack)
    assert stack.user_creds_id == row
    (trust,) = keystone.trusts.values()
    assert await credentials.for_stack(stack) == Trust(trust["id"], trust["trustor_user_id"])


async def test_a_deleted_stack_leaves_nothing(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(), await context_of(cloud)
    stack = await stored_stack(database, user_creds_id=await credentials.create(context))
    project_id = await credentials.create_project(context, stack.id)
    assert keystone.projects[project_id]["domain_id"] == keystone.heat_domain
    stack = replace(stack, stack_user_project_id=project_id)
    for _ in range(2):  # the second time after a crash
        await credentials.remove(stack)
        assert keystone.trusts == {}
        assert project_id not in keystone.projects
        assert await rows(database) == []


@pytest.mark.parametrize(("refusals", "left"), [(1, 0), (2, 0), (3, 1)])
async def test_a_trust_is_not_left_behind_for_one_refusal(
    cloud,
    keystone: FakeKeystone,
    database: Database,
    make,
    autojump_clock: MockClock,
    refusals: int,
    left: int,
) -> None:
    credentials = make()
    creds_id = await credentials.create(await context_of(cloud))
    stack = await stored_stack(database, user_creds_id=creds_id)
    keystone.script("DELETE", "/v3/OS-TRUST", *[Answer(403)] * refusals)
    await credentials.remove(stack)
    assert len(keystone.trusts) == left
    assert await rows(database) == []


async def test_what_was_prepared_leaves_nothing_but_the_removal(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(), await context_of(cloud)
    creds_id = await credentials.create(context)
    project_id = await credentials.create_project(context, StackId("s"))
    stack = await stored_stack(database, user_creds_id=creds_id, stack_user_project_id=project_id)
    await credentials.prepare_removal(stack)
    assert await rows(database) != []
    before = len(keystone.requests)
    await credentials.remove(stack)
    assert [asked.method for asked in keystone.requests[before:]] == ["DELETE", "DELETE"]
    assert keystone.trusts == {}
    assert project_id not in keystone.projects


async def test_what_cannot_be_prepared_is_left_for_later(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(), await context_of(cloud)
    creds_id = await credentials.create(context)
    stack = await stored_stack(database, user_creds_id=creds_id)
    keystone.script("POST", "/v3/auth/tokens", Answer(401))
    await credentials.prepare_removal(stack)
    await credentials.prepare_removal(replace(stack, user_creds_id=4711))
    await credentials.prepare_removal(replace(stack, owner_id=StackId("root")))
    await credentials.remove(stack)
    assert keystone.trusts == {}


async def test_a_trust_that_cannot_be_deleted_does_not_keep_the_stack(
    cloud, keystone: FakeKeystone, database: Database, make, autojump_clock: MockClock
) -> None:
    credentials = make()
    creds_id = await credentials.create(await context_of(cloud))
    stack = await stored_stack(database, user_creds_id=creds_id)
    keystone.script("DELETE", "/v3/OS-TRUST", Answer(500))
    await credentials.remove(stack)
    assert await rows(database) == []


async def test_a_row_that_cannot_be_read_does_not_keep_the_stack(
    cloud, database: Database, make
) -> None:
    credentials = make()
    creds_id = await credentials.create(await context_of(cloud))
    stack = await stored_stack(database, user_creds_id=creds_id)
    query = text("UPDATE user_creds SET trust_id = 'damaged'")
    await database.transaction(lambda connection: connection.execute(query))
    await credentials.remove(stack)
    assert await rows(database) == []


async def test_a_project_that_cannot_be_deleted_is_an_error(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(), await context_of(cloud)
    project_id = await credentials.create_project(context, StackId("s"))
    stack = await stored_stack(database, stack_user_project_id=project_id)
    keystone.script("DELETE", "/v3/projects", Answer(403))
    with pytest.raises(ServiceError):
        await credentials.remove(stack)


async def test_a_deleted_stack_waits_for_a_keystone_that_is_away(
    cloud, keystone: FakeKeystone, database: Database, make, autojump_clock: MockClock
) -> None:
    credentials, context = make(), await context_of(cloud)
    stack = await stored_stack(database, user_creds_id=await credentials.create(context))
    project_id = await credentials.create_project(context, stack.id)
    away = [Answer(503)] * 20
    keystone.script("DELETE", "/v3/OS-TRUST", *away)
    keystone.script("DELETE", "/v3/projects", *away)
    await credentials.remove(replace(stack, stack_user_project_id=project_id))
    assert keystone.trusts == {}
    assert project_id not in keystone.projects


async def test_a_deleted_stack_does_not_wait_for_ever(
    cloud, keystone: FakeKeystone, database: Database, make, autojump_clock: MockClock
) -> None:
    credentials, context = make(), await context_of(cloud)
    stack = await stored_stack(database, user_creds_id=await credentials.create(context))
    project_id = await credentials.create_project(context, stack.id)
    away = [Answer(503)] * 1000
    keystone.script("DELETE", "/v3/OS-TRUST", *away)
    keystone.script("DELETE", "/v3/projects", *away)
    began = trio.current_time()
    with pytest.raises(ServiceError):
        await credentials.remove(replace(stack, stack_user_project_id=project_id))
    assert trio.current_time() - began < 3 * PATIENCE_SECONDS
    assert await rows(database) == []


async def test_a_project_that_cannot_be_made(cloud, keystone: FakeKeystone, make) -> None:
    credentials, context = make(), await context_of(cloud)
    keystone.script("POST", "/v3/projects", Answer(403))
    with pytest.raises(Error, match=r"^Failed to create stack user project$"):
        await credentials.create_project(context, StackId("s"))
    admin = next(k for k, u in keystone.users.items() if u["name"] == "heat_domain_admin")
    keystone.users[admin]["password"] = "changed"
    cloud.openstack.tokens._entries.clear()
    with pytest.raises(AuthorizationFailure):
        await credentials.create_project(context, StackId("s"))


async def test_credentials_work_for_requests(
    cloud, keystone: FakeKeystone, database: Database, make
) -> None:
    credentials, context = make(), await context_of(cloud)
    stack = await stored_stack(database, user_creds_id=await credentials.create(context))
    keystone.script("GET", "/v3/x", httpx2.ConnectError("refused"))
    session = await cloud.openstack.services.session(await credentials.for_stack(stack))
    own = await cloud.openstack.services.session(credentials_of(context))
    assert session.info is not None
    assert own.info is not None
    assert session.info.user_id == own.info.user_id
