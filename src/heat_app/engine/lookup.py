"""Finding the stack that a caller means, and nobody else's (rules/e-identity.md#16-17)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from heat_core.errors import EntityNotFound, InvalidTenant
from heat_core.rpc import RequestContext
from heat_core.stack import HeatIdentifier, StackId, StackRecord
from heat_io.database import stacks


def identified_stack(connection: Connection, context: RequestContext, text: str) -> StackRecord:
    """The stack that `text` names: by id, deleted ones too, else the live one of that name.

    EntityNotFound when the caller sees none.
    """
    found = None
    if _is_uuid(text):
        # MariaDB compares ids without regard to case, so clients may write them either way.
        stack_id = StackId(text.lower())
        found = stacks.fetch(connection, stack_id, show_deleted=True, with_deps=False)
        if found is not None and not _visible(context, found):
            found = None
    if found is None and context.project_id is not None:
        found = stacks.fetch_by_name(connection, context.project_id, text)
    if found is None:
        raise EntityNotFound(entity="Stack", name=text)
    return found


def stack_of_identity(
    connection: Connection,
    context: RequestContext,
    identity: Mapping[str, Any],
    *,
    show_deleted: bool = False,
    with_deps: bool = False,
) -> StackRecord:
    """The stack of an identity's dict form.

    EntityNotFound when it is absent, invisible or deleted (unless deleted ones are asked for), or
    when the name does not fit the id; InvalidTenant when the identity is another project's.
    """
    wanted = HeatIdentifier.from_dict(identity)
    stack = stacks.fetch(
        connection,
        StackId(wanted.stack_id),
        show_deleted=show_deleted or context.show_deleted,
        with_deps=with_deps,
    )
    if stack is None or not _visible(context, stack):
        raise EntityNotFound(entity="Stack", name=wanted.stack_name)
    if not context.is_admin and context.project_id not in (
        wanted.tenant,
        stack.stack_user_project_id,
    ):
        raise InvalidTenant(target=wanted.tenant, actual=context.project_id)
    if wanted.path or stack.name != wanted.stack_name:
        raise EntityNotFound(entity="Stack", name=wanted.stack_name)
    return stack


def _visible(context: RequestContext, stack: StackRecord) -> bool:
    owners = (stack.tenant, stack.stack_user_project_id)
    return context.is_admin or context.project_id in owners


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except (ValueError, AttributeError, TypeError):
        return False
    return True
