"""The table `user_creds`: what the engine acts with when nobody's token is at hand.

Either a trust or a password, encrypted (rules/j-encodings.md#7).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, select

from heat_core.errors import Error
from heat_io.database.ambient import ambient
from heat_io.database.schema import stack, user_creds

_PASSWORD_LENGTH: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCreds:
    """Stored credentials in clear; the secrets stay out of the repr.

    `tenant` is the project's name, `tenant_id` its id. With a `trust_id` there is no password.
    """

    username: str | None = None
    password: str | None = field(default=None, repr=False)
    region_name: str | None = None
    tenant: str | None = None
    tenant_id: str | None = None
    auth_url: str | None = None
    trust_id: str | None = field(default=None, repr=False)
    trustor_user_id: str | None = None


def insert(connection: Connection, creds: UserCreds) -> int:
    """Store credentials; the id of their row.

    Raises Error when the encrypted password does not fit its column.
    """
    around = ambient(connection)
    values: dict[str, Any] = {
        "created_at": around.now(),
        "region_name": creds.region_name,
        "tenant": creds.tenant,
        "tenant_id": creds.tenant_id,
        "auth_url": creds.auth_url,
        "trustor_user_id": creds.trustor_user_id,
    }
    cipher = around.require_cipher()
    if creds.trust_id:
        values["decrypt_method"], values["trust_id"] = cipher.encrypt(creds.trust_id)
    else:
        method, password = cipher.encrypt(creds.password)
        if len(str(password)) > _PASSWORD_LENGTH:
            raise Error("Length of OS_PASSWORD after encryption exceeds Heat limit (255 chars)")
        values |= {"decrypt_method": method, "password": password, "username": creds.username}
    key: Any = connection.execute(user_creds.insert(), values).inserted_primary_key
    return int(key[0])


def fetch(connection: Connection, creds_id: int) -> UserCreds | None:
    """The credentials in clear, or None. Raises InvalidEncryptionKey when the key does not fit."""
    row = connection.execute(select(user_creds).where(user_creds.c.id == creds_id)).first()
    if row is None:
        return None
    cipher = ambient(connection).require_cipher()
    return UserCreds(
        username=row.username,
        password=cipher.decrypt(row.decrypt_method, row.password),
        region_name=row.region_name,
        tenant=row.tenant,
        tenant_id=row.tenant_id,
        auth_url=row.auth_url,
        trust_id=cipher.decrypt(row.decrypt_method, row.trust_id),
        trustor_user_id=row.trustor_user_id,
    )


def delete(connection: Connection, creds_id: int) -> bool:
    """Delete credentials; stacks that refer to them (nested ones do) let go. False: not there."""
    connection.execute(
        stack.update().where(stack.c.user_creds_id == creds_id).values(user_creds_id=None)
    )
    result = connection.execute(user_creds.delete().where(user_creds.c.id == creds_id))
    return result.rowcount > 0


def replace(connection: Connection, old_id: int, new_id: int) -> bool:
    """Put one row in the place of another for every stack that has the old one, and delete that.

    False, and nothing is changed, when no stack has the old one (any more).
    """
    result = connection.execute(
        stack.update().where(stack.c.user_creds_id == old_id).values(user_creds_id=new_id)
    )
    if not result.rowcount:
        return False
    connection.execute(user_creds.delete().where(user_creds.c.id == old_id))
    return True
