"""What a stack acts with when nobody's token is at hand: Keystone's side and the database's.

Theory of operation. A root stack has a row of user_creds (a trust, or a password with
deferred_auth_method password) and a project in the stack domain; nested stacks share their root's
row. Keystone and the database can't change together, so each order is chosen for what a crash
between the two leaves behind:

- create: trust, then row. A crash leaves a trust that nobody uses; it gives away nothing, since
  only the service user can use it.
- refresh: new trust, then one transaction that puts the new row in place of the old one for the
  stack and its nested stacks, then the old trust. The stack is never without credentials. Of two
  refreshes at once one wins, the other takes its new trust back.
- remove: trust, then row, then project. Each step is fine with having been done already.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final, Literal

import trio
from sqlalchemy import Connection

from heat_core.errors import AuthorizationFailure, Error, HeatException, InvalidEncryptionKey
from heat_core.procedure import ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack.ids import StackId
from heat_core.stack.records import StackRecord
from heat_io.database import Database, DatabaseFailure, stacks, user_creds
from heat_io.openstack.credentials import Credentials, StoredCredentials, credentials_of
from heat_io.openstack.services import ServiceClient
from heat_io.openstack.stack_domain import StackDomain
from heat_io.openstack.trusts import Trusts
from heat_io.patience import patiently

log = logging.getLogger(__name__)

type Method = Literal["trusts", "password"]

_TRUST_PAUSES: Final = (0.5, 2.0)
"""between the attempts to delete a trust"""

_UNIT_SECONDS: Final = 60.0
"""A trust and its row are made as one: a cancelled caller waits for that, this long at most."""


class StackCredentials:
    """Makes, finds, renews and removes stacks' credentials and projects."""

    def __init__(
        self,
        database: Database,
        services: ServiceClient,
        trusts: Trusts,
        domain: StackDomain,
        *,
        method: Method = "trusts",
    ) -> None:
        """`method` is deferred_auth_method."""
        self._database = database
        self._services = services
        self._trusts = trusts
        self._domain = domain
        self._method = method

    async def create(self, context: RequestContext) -> int | None:
        """Store credentials for a new root stack; the id of their row.

        Raises what Trusts.create raises, and Error for a password that is too long to store.
        """
        with trio.fail_after(_UNIT_SECONDS, shield=True):
            return (await self._stored(context))[0]

    async def discard(self, context: RequestContext, user_creds_id: int) -> None:
        """Take back what `create` made."""
        await self._delete(context, user_creds_id)

    async def create_project(self, context: RequestContext, stack_id: StackId) -> str | None:
        """The project for the stack's own users; the owner's without a stack domain.

        Raises AuthorizationFailure, or Error with Heat's text for any other failure.
        """
        try:
            with trio.fail_after(_UNIT_SECONDS, shield=True):
                return await self._domain.create_project(context.project_id or "", stack_id)
        except (ServiceError, trio.TooSlowError) as error:
            log.exception("a stack's project could not be made")
            raise Error("Failed to create stack user project") from error

    async def refresh(self, context: RequestContext, stack: StackRecord) -> int | None:
        """New credentials when the stored ones are another user's or another project's.

        The id of the new row, which is in the stack's row (and its nested stacks') already; None
        when the stored ones may stay (rules/k-locks-services.md#19).
        """
        if self._method != "trusts" or stack.user_creds_id is None:
            return None
        old_id = stack.user_creds_id
        old = await self._fetch(old_id)
        if old is None or not await self._is_anothers(context, old):
            return None
        with trio.fail_after(_UNIT_SECONDS, shield=True):
            # A context that acts through a trust already can't make another one from it.
            new_id, new = await self._stored(context)
            replaced = await self._database.transaction(
                lambda connection: user_creds.replace(connection, old_id, new_id)
            )
            if not replaced:
                log.info("somebody else renewed the stack's credentials")
                await self._delete(context, new_id)
                return None
            await self._delete_trust(context, old)
        log.info(
            "a stack's credentials are another user's now",
            extra={"fields": {"stack_id": stack.id, "trustor": new.trustor_user_id}},
        )
        return new_id

    async def for_stack(
        self, stack: StackRecord, context: RequestContext | None = None
    ) -> Credentials:
        """The credentials of the stack, or of the root stack that it is nested in.

        With deferred_auth_method "password" a user who came with a token has left no password, and
        a deleted stack has nothing stored any more: then the token of `context`, who asked, serves.

        Raises Error when there are none, AuthorizationFailure when the row is of no use,
        InvalidEncryptionKey when it can't be read.
        """
        stored = await self._stored_of(stack)
        if context is not None and context.auth_token and not (stored and stored.usable):
            return credentials_of(context)
        return _there(stored).credentials()

    async def context_for(self, stack: StackRecord, context: RequestContext) -> RequestContext:
        """The context in which any engine acts on the stack's behalf.

        Who asked and under which request id is `context`'s; the credentials are the stored ones.
        Policy asks for roles when a nested stack is made: when nobody asked (an engine goes on with
        what another one left) they are those of the token that the credentials give. Raises as
        `for_stack`, and ServiceError when Keystone is needed and gives no token.
        """
        stored = _there(await self._stored_of(stack))
        acting = context.acting_with(stored.context(), stack.tenant)
        if acting.username is None:
            acting = replace(acting, username=stack.username)
        if acting.roles:
            return acting
        info = (await self._services.session(stored.credentials())).info
        if info is None:
            raise AssertionError("a token made from stored credentials says what it is for")
        return replace(
            acting,
            user_id=acting.user_id or info.user_id,
            project_name=acting.project_name or info.project_name,
            user_domain_id=info.user_domain_id,
            project_domain_id=info.project_domain_id,
            roles=info.role_names,
        )

    async def _stored_of(self, stack: StackRecord) -> StoredCredentials | None:
        try:
            return await self._database.read(lambda connection: _of_stack(connection, stack))
        except ValueError as error:
            # The older formats can't tell a wrong key (crypt-vectors.json).
            raise InvalidEncryptionKey() from error

    async def prepare_removal(self, stack: StackRecord) -> None:
        """Get what `remove` needs while the stack's resources are still being deleted.

        That is the token that the trust is deleted with, and a look at the project. What fails now
        is tried again then, so it is only logged.
        """
        if stack.owner_id is not None:
            return
        try:
            if stack.user_creds_id is not None:
                stored = await self._fetch(stack.user_creds_id)
                if stored is not None and stored.trust_id:
                    await self._services.session(stored.credentials())
            if stack.stack_user_project_id is not None:
                await self._domain.look_at(stack.stack_user_project_id)
        except (HeatException, ServiceError, DatabaseFailure, ValueError) as error:
            log.info("the removal of a stack's credentials is not prepared", exc_info=error)

    async def remove(self, stack: StackRecord) -> None:
        """Remove trust, stored credentials and project of a deleted root stack.

        A Keystone that is away gets a while to come back: nobody would look for what stays. A trust
        that can't be deleted is logged and given up, as Heat does. Raises AuthorizationFailure or
        ServiceError when the project can't be deleted.
        """
        if stack.owner_id is not None:
            return
        if stack.user_creds_id is not None:
            await self._delete(RequestContext(), stack.user_creds_id)
        if stack.stack_user_project_id is not None:
            project_id = stack.stack_user_project_id
            await patiently(lambda: self._domain.delete_project(project_id))

    async def _stored(self, context: RequestContext) -> tuple[int, StoredCredentials]:
        trusted = context
        if self._method == "trusts":
            trusted = await self._trusts.create(context)
        stored = StoredCredentials.from_context(trusted)
        try:
            new_id = await self._database.transaction(
                lambda connection: user_creds.insert(connection, _row(stored))
            )
        except Exception:
            if trusted is not context:
                await self._delete_trust(context, stored)
            raise
        return new_id, stored

    async def _is_anothers(self, context: RequestContext, old: StoredCredentials) -> bool:
        if context.trust_id and context.trust_id == old.trust_id:
            return False
        session = await self._services.session(credentials_of(context))
        user_id = session.info.user_id if session.info else context.user_id
        project_id = session.info.project_id if session.info else context.project_id
        return (user_id, project_id) != (old.trustor_user_id, old.tenant_id)

    async def _delete(self, context: RequestContext, creds_id: int) -> None:
        try:
            stored = await self._fetch(creds_id)
        except (HeatException, ValueError):
            # Cut off when they were stored, or another key since then: the stack must go anyway.
            log.exception("stored credentials can't be read; their trust stays")
            stored = None
        if stored is not None:
            await self._delete_trust(context, stored)
        await self._database.transaction(lambda connection: user_creds.delete(connection, creds_id))

    async def _delete_trust(self, context: RequestContext, stored: StoredCredentials) -> None:
        for seconds in (*_TRUST_PAUSES, None):
            try:
                await patiently(lambda: self._trusts.delete_stored(context, stored))
            except AuthorizationFailure:
                log.exception("a trust could not be deleted")
                return
            except ServiceError as error:
                # Its row goes in any case, and with it all that is known of the trust. A Keystone
                # that serves several requests in one process refuses now and then what it may not.
                if seconds is None or error.away:
                    log.exception("a trust could not be deleted")
                    return
                await trio.sleep(seconds)
            else:
                return

    async def _fetch(self, creds_id: int) -> StoredCredentials | None:
        return await self._database.read(lambda connection: _read(connection, creds_id))


def _there(stored: StoredCredentials | None) -> StoredCredentials:
    if stored is None:
        raise Error("Attempt to use stored_context with no user_creds")
    return stored


def _of_stack(connection: Connection, stack: StackRecord) -> StoredCredentials | None:
    """Of the stack itself, else of the nearest stack above it that has some."""
    while stack.user_creds_id is None:
        if stack.owner_id is None:
            return None
        above = stacks.fetch(connection, stack.owner_id, show_deleted=True, with_deps=False)
        if above is None:
            return None
        stack = above
    return _read(connection, stack.user_creds_id)


def _read(connection: Connection, creds_id: int) -> StoredCredentials | None:
    row = user_creds.fetch(connection, creds_id)
    if row is None:
        return None
    return StoredCredentials(
        trust_id=row.trust_id,
        trustor_user_id=row.trustor_user_id,
        username=row.username,
        password=row.password,
        tenant=row.tenant,
        tenant_id=row.tenant_id,
        auth_url=row.auth_url,
        region_name=row.region_name,
    )


def _row(stored: StoredCredentials) -> user_creds.UserCreds:
    return user_creds.UserCreds(
        username=stored.username,
        password=stored.password,
        region_name=stored.region_name,
        tenant=stored.tenant,
        tenant_id=stored.tenant_id,
        auth_url=stored.auth_url,
        trust_id=stored.trust_id,
        trustor_user_id=stored.trustor_user_id,
    )
