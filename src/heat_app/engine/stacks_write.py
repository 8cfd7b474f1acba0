"""Changing stacks: create, update, delete.

Each ends with StackOperations.begin, which stores the new traversal; from there on the engine's
own tasks go on. Source: rules/e-identity.md#1-3, rules/h-updates.md#26-30, rules/i#5-7.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import trio
from sqlalchemy import Connection

from heat_app.engine.arguments import StackOptions
from heat_app.engine.formatting import identity_of
from heat_app.engine.lookup import stack_of_identity
from heat_app.engine.ports import Endpoint, Parts
from heat_app.engine.preparation import Preparation, Request, Wanted
from heat_core.errors import EntityNotFound, HeatException, NotSupported, StackExists
from heat_core.rpc import RequestContext
from heat_core.stack import (
    Action,
    StackId,
    StackRecord,
    Status,
    TemplateId,
    TemplateRecord,
    TraversalId,
)
from heat_io.database import CommitUnknown, nesting, stacks, templates
from heat_io.database import tags as stack_tags
from heat_io.drivers.legacy import refuse_legacy
from heat_io.sandbox.evaluation import evaluate

log = logging.getLogger(__name__)

CLEAN_UP_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ancestry:
    """Where a new stack stands; only other engines give anything but the defaults."""

    owner_id: str | None = None
    nested_depth: int = 0
    user_creds_id: int | None = None
    stack_user_project_id: str | None = None
    parent_resource_name: str | None = None


class StackWrites(Endpoint):
    """What can be done to stacks."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._preparation = Preparation(parts)

    # --- create ------------------------------------------------------------------------------

    async def create_stack(
        self,
        context: RequestContext,
        stack_name: str,
        template: Mapping[str, Any] | None,
        params: Mapping[str, Any] | None,
        files: Mapping[str, str] | None,
        args: Mapping[str, Any],
        environment_files: Sequence[str] | None = None,
        files_container: str | None = None,
        template_id: int | None = None,
        **ancestry: Any,
    ) -> dict[str, str]:
        """Check, store and start a new stack; its identity."""
        request = Request(
            template=template,
            params=params,
            files=files,
            args=args,
            environment_files=environment_files,
            files_container=files_container,
            template_id=template_id,
        )
        options = StackOptions.from_args(args)
        if options.adopt_stack_data is not None:
            raise NotSupported(feature="Stack Adopt")
        place = Ancestry(**ancestry)
        owner_id = None if place.owner_id is None else StackId(place.owner_id)
        stack_id = StackId(self._parts.new_id())
        wanted = await self._preparation.new_stack(
            context, stack_name, request, stack_id=stack_id, owner_id=owner_id
        )

        user_creds_id = place.user_creds_id
        if user_creds_id is None:
            user_creds_id = await self._parts.credentials.create(context)
        stack = StackRecord(
            id=stack_id,
            name=stack_name,
            tenant=context.project_id or "",
            raw_template_id=TemplateId(template_id or 0),
            action=Action.CREATE,
            status=Status.IN_PROGRESS,
            status_reason="",
            user_creds_id=user_creds_id,
            username=context.username,
            owner_id=owner_id,
            timeout=options.timeout_mins,
            disable_rollback=options.disable_rollback is not False,
            stack_user_project_id=place.stack_user_project_id,
            nested_depth=place.nested_depth,
            current_traversal=TraversalId(self._parts.new_id()),
            parent_resource_name=place.parent_resource_name,
        )
        try:
            await self._insert(stack, wanted, options.tags or ())
        except BaseException:
            if place.user_creds_id is None and user_creds_id is not None:
                with trio.move_on_after(CLEAN_UP_SECONDS, shield=True):
                    await self._parts.credentials.discard(context, user_creds_id)
            raise
        changes: dict[str, Any] = {}
        if place.stack_user_project_id is None:
            changes |= await self._new_project(context, stack_id)
        await self._parts.operations.begin(context, stack_id, Action.CREATE, changes=changes)
        return identity_of(stack).to_dict()

    async def _new_project(self, context: RequestContext, stack_id: StackId) -> dict[str, Any]:
        """The stack's own project; without one only resources that need it will fail."""
        try:
            project_id = await self._parts.credentials.create_project(context, stack_id)
        except HeatException as error:
            log.warning(
                "a stack starts without a project of its own",
                extra={"fields": {"stack_id": stack_id, "error": str(error)}},
            )
            return {}
        return {} if project_id is None else {"stack_user_project_id": project_id}

    async def _insert(
        self,
        stack: StackRecord,
        wanted: Wanted,
        tags: Sequence[str],
    ) -> None:
        """Template, files, stack and tags in one transaction; StackExists for the later of two.

        EntityNotFound for a nested stack that its resource has given up.
        """

        def unit(connection: Connection) -> None:
            if not nesting.is_awaited(connection, stack):
                raise EntityNotFound(entity="Resource", name=stack.parent_resource_name)
            stored = stack
            if not stack.raw_template_id:
                row = _insert_template(connection, wanted)
                stored = replace(stack, raw_template_id=row.id)
            stacks.insert(connection, stored)
            stack_tags.replace(connection, stack.id, tags)
            if not stacks.is_earliest_of_its_name(connection, stored):
                raise StackExists(stack_name=stack.name)

        while True:
            try:
                await self._parts.database.transaction(unit)
            except CommitUnknown:
                found = await self._parts.database.read(
                    lambda connection: stacks.fetch(connection, stack.id, with_deps=False)
                )
                if found is None:
                    continue
            return

    # --- update ------------------------------------------------------------------------------

    async def update_stack(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any],
        template: Mapping[str, Any] | None,
        params: Mapping[str, Any] | None,
        files: Mapping[str, str] | None,
        args: Mapping[str, Any],
        environment_files: Sequence[str] | None = None,
        files_container: str | None = None,
        template_id: int | None = None,
    ) -> dict[str, str]:
        """Check and start an update; a running one is superseded. The stack's identity."""
        request = Request(
            template=template,
            params=params,
            files=files,
            args=args,
            environment_files=environment_files,
            files_container=files_container,
            template_id=template_id,
        )
        current = await self._preparation.current(context, stack_identity)
        stack = current.stack
        await self._check_types(context, stack)
        refuse_legacy(stack, Action.UPDATE)
        if stack.action is Action.SUSPEND:
            raise NotSupported(feature="Updating a stack when it is suspended")
        if stack.action is Action.DELETE:
            raise NotSupported(feature="Updating a stack when it is deleting")
        wanted = await self._preparation.changed_stack(context, current, request)
        options = StackOptions.from_args(args)

        changes = await self._renewed_credentials(context, stack)
        if options.timeout_mins is not None:
            changes["timeout"] = options.timeout_mins
        if options.disable_rollback is not None:
            changes["disable_rollback"] = options.disable_rollback
        kept = bool(args.get("existing")) and options.tags is None
        tags = current.tags if kept else options.tags or ()
        new_id = await self._insert_update(stack, wanted, template_id, tags)
        await self._parts.operations.begin(
            context, stack.id, Action.UPDATE, template_id=new_id, changes=changes
        )
        return identity_of(stack).to_dict()

    async def _insert_update(
        self,
        stack: StackRecord,
        wanted: Wanted,
        template_id: int | None,
        tags: Sequence[str],
    ) -> TemplateId:
        def unit(connection: Connection) -> TemplateId:
            stack_tags.replace(connection, stack.id, tags)
            if template_id is not None:
                return TemplateId(template_id)
            return _insert_template(connection, wanted).id

        return await self._parts.database.transaction(unit)

    # --- delete ------------------------------------------------------------------------------

    async def delete_stack(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> None:
        """Start to delete a stack; whatever it is doing is stopped first."""
        stack = await self._parts.database.read(
            lambda connection: stack_of_identity(connection, context, stack_identity)
        )
        await self._check_types(context, stack)
        if stack.action is Action.DELETE and stack.status is Status.COMPLETE:
            raise EntityNotFound(entity="Stack", name=stack.name)
        changes = await self._renewed_credentials(context, stack)
        await self._parts.operations.begin(context, stack.id, Action.DELETE, changes=changes)

    # --- shared ------------------------------------------------------------------------------

    async def _check_types(self, context: RequestContext, stack: StackRecord) -> None:
        """Forbidden for the first type of the stack that policy keeps from the caller."""
        definition = await self._parts.definitions.for_stack(stack)
        await evaluate(self._preparation.check_types, context, definition)

    async def _renewed_credentials(
        self, context: RequestContext, stack: StackRecord
    ) -> dict[str, Any]:
        user_creds_id = await self._parts.credentials.refresh(context, stack)
        return {} if user_creds_id is None else {"user_creds_id": user_creds_id}


def _insert_template(connection: Connection, wanted: Wanted) -> TemplateRecord:
    template = wanted.template
    return templates.insert(
        connection,
        template.document,
        template.environment.stored(),
        template.all_files,
        secret_parameters=template.hidden_parameters(),
    )
