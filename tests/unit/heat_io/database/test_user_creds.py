"""Stored credentials, on every database."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from heat_core.errors import Error
from heat_io.database import UserCreds, stacks, user_creds


async def test_a_trust_is_sealed_and_leaves_no_password(database) -> None:
    creds = UserCreds(
        username="u",
        password="p",
        trust_id="t",
        trustor_user_id="tu",
        tenant="demo",
        tenant_id="1",
        auth_url="http://k",
        region_name="R",
    )

    def work(connection):
        creds_id = user_creds.insert(connection, creds)
        raw = connection.execute(
            text("SELECT trust_id, password, username, decrypt_method FROM user_creds")
        ).one()
        return raw, user_creds.fetch(connection, creds_id)

    raw, found = await database.transaction(work)
    assert raw[0].startswith("gAAAA")
    assert tuple(raw)[1:] == (None, None, "cryptography_decrypt_v1")
    assert found == UserCreds(
        trust_id="t",
        trustor_user_id="tu",
        tenant="demo",
        tenant_id="1",
        auth_url="http://k",
        region_name="R",
    )


async def test_a_password_is_sealed(database) -> None:
    creds = UserCreds(username="u", password="sécret", tenant="demo", tenant_id="1")

    def work(connection):
        creds_id = user_creds.insert(connection, creds)
        raw = connection.execute(text("SELECT password FROM user_creds")).scalar()
        return raw, user_creds.fetch(connection, creds_id)

    raw, found = await database.transaction(work)
    assert raw.startswith("gAAAA")
    assert found == creds
    assert "sécret" not in repr(found)


async def test_a_password_may_be_too_long_or_missing(database) -> None:
    with pytest.raises(Error, match=r"exceeds Heat limit \(255 chars\)"):
        await database.transaction(
            lambda c: user_creds.insert(c, UserCreds(username="u", password="x" * 200))
        )
    nothing = UserCreds(username="u")
    creds_id = await database.transaction(lambda c: user_creds.insert(c, nothing))
    assert await database.read(lambda c: user_creds.fetch(c, creds_id)) == nothing


async def test_stacks_let_go_of_deleted_credentials(database, build) -> None:
    def work(connection):
        creds_id = user_creds.insert(connection, UserCreds(trust_id="t"))
        stack = build.stack(connection, user_creds_id=creds_id)
        return (
            user_creds.delete(connection, creds_id),
            user_creds.delete(connection, creds_id),
            user_creds.fetch(connection, creds_id),
            stacks.fetch(connection, stack.id).user_creds_id,
        )

    assert await database.transaction(work) == (True, False, None, None)


async def test_credentials_are_exchanged_for_every_stack_that_has_them(database, build) -> None:
    def work(connection):
        old, new = (user_creds.insert(connection, UserCreds(trust_id=name)) for name in "ab")
        stack = build.stack(connection, user_creds_id=old)
        return (
            user_creds.replace(connection, old, new),
            user_creds.replace(connection, old, new),
            user_creds.fetch(connection, old),
            stacks.fetch(connection, stack.id).user_creds_id == new,
        )

    assert await database.transaction(work) == (True, False, None, True)
