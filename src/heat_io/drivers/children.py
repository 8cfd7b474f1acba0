"""Nested stacks, as the resources that own them see them.

A child is made and changed by RPC to any engine, like every other stack; how far it is is read from
the database. Making one may time out after it worked, so it is always looked for first, by its
owner and its name.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from heat_core.convergence.evaluation import Plan, view_of
from heat_core.errors import EntityNotFound, HeatException
from heat_core.procedure import (
    CheckChild,
    ChildRequest,
    ChildState,
    CreateChild,
    DeleteChild,
    FindChild,
    LookAtChild,
    UpdateChild,
)
from heat_core.resources.nested import Members
from heat_core.resources.nested.children import child_template_of, resource_of, surroundings_of
from heat_core.rpc import ENGINE_METHODS
from heat_core.stack import HeatIdentifier
from heat_core.stack.ids import StackId, TemplateId
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_core.template import Template
from heat_io.database import Database, resources, stacks, templates
from heat_io.drivers.nested_reading import members_of
from heat_io.drivers.ports import CredentialsSource
from heat_io.messaging import ENGINE, Bus, CallTimeout, Target

log = logging.getLogger(__name__)

CALL_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ChildParts:
    """What acting on nested stacks takes."""

    database: Database
    bus: Bus
    credentials: CredentialsSource
    limits: StackLimits = DEFAULT_LIMITS


class Children:
    """The nested stack of one claimed resource (a ChildStacks)."""

    def __init__(
        self, parts: ChildParts, stack: StackRecord, row: ResourceRecord, plan: Plan
    ) -> None:
        self._parts = parts
        self._stack = stack
        self._row = row
        self._plan = plan

    async def ask(self, request: ChildRequest) -> Any:
        match request:
            case CreateChild():
                return await self._create()
            case FindChild():
                return await self._find()
            case UpdateChild(child_id):
                await self._update(StackId(child_id))
            case DeleteChild(child_id):
                await self._call_on(StackId(child_id), "delete_stack")
            case CheckChild(child_id):
                await self._call_on(StackId(child_id), "stack_check")
            case LookAtChild(child_id):
                return await self._look(StackId(child_id))
        return None

    @property
    def _name(self) -> str:
        limit = self._plan.resource_class.physical_name_limit
        return physical_resource_name(self._stack.name, self._row.name, self._row.uuid, limit)

    async def _create(self) -> str:
        found = await self._find()
        if found is not None:
            return found
        template, timeout = await self._template(None)
        template_id = await self._store(template)
        arguments = {
            "stack_name": self._name,
            "template": None,
            "params": None,
            "files": None,
            "args": {
                "timeout_mins": self._stack.timeout if timeout is None else timeout,
                "disable_rollback": True,
            },
            "owner_id": self._stack.id,
            "nested_depth": self._stack.nested_depth + 1,
            "user_creds_id": self._stack.user_creds_id,
            "stack_user_project_id": self._stack.stack_user_project_id,
            "parent_resource_name": self._row.name,
            "template_id": template_id,
        }
        try:
            answer = await self._call("create_stack", arguments)
        except CallTimeout:
            found = await self._find()
            if found is None:
                raise
            return found
        except HeatException:
            await self._discard(template_id)
            raise
        return str(answer["stack_id"])

    async def _find(self) -> str | None:
        def unit(connection: Connection) -> StackRecord | None:
            return stacks.fetch_by_name_and_owner(
                connection, self._stack.tenant, self._name, self._stack.id
            )

        found = await self._parts.database.read(unit)
        return None if found is None else found.id

    async def _update(self, child_id: StackId) -> None:
        child = await self._fetch(child_id)
        if child is None:
            raise EntityNotFound(entity="Stack", name=child_id)
        template, timeout = await self._template(child)
        template_id = await self._store(template)
        arguments = {
            "stack_identity": _identity(child),
            "template": None,
            "params": None,
            "files": None,
            "args": {
                "timeout_mins": self._stack.timeout if timeout is None else timeout,
                "converge": False,
            },
            "template_id": template_id,
        }
        try:
            await self._call("update_stack", arguments)
        except HeatException:
            await self._discard(template_id)
            raise

    async def _call_on(self, child_id: StackId, method: str) -> None:
        """Start an operation that says nothing but which stack; one that is gone is no error."""
        child = await self._fetch(child_id)
        if child is None:
            return
        try:
            await self._call(method, {"stack_identity": _identity(child)})
        except EntityNotFound:
            return

    async def _look(self, child_id: StackId) -> ChildState | None:
        found = await self._parts.database.read(
            lambda connection: stacks.states(connection, [child_id])
        )
        if child_id not in found:
            return None
        action, status, reason = found[child_id]
        if (action, status) == (Action.DELETE, Status.COMPLETE):
            return None
        return ChildState(action.value, status.value, reason or "")

    # --- the template ----------------------------------------------------------------------

    async def _template(self, child: StackRecord | None) -> tuple[Template, int | None]:
        """What the nested stack is to be made of, and how long that may take in minutes."""
        definition = self._plan.definition
        if definition is None:
            raise AssertionError("a nested stack needs the definition of its parent")
        members = Members()
        earlier: Mapping[str, str] | None = None
        if child is not None:
            members, earlier = await self._members(child)
        at = surroundings_of(
            definition,
            self._row.name,
            nodes=self._plan.nodes,
            members=members,
            limits=self._parts.limits,
        )
        view = view_of(self._row, self._stack, self._plan.resource_class)
        resource = resource_of(at, view)
        document = resource.child_template(at)
        template = child_template_of(resource, at, document, earlier_files=earlier)
        return template, resource.timeout_minutes(at)

    async def _members(self, child: StackRecord) -> tuple[Members, dict[str, str]]:
        def unit(
            connection: Connection,
        ) -> tuple[list[ResourceRecord], Mapping[str, Any] | None, dict[str, str]]:
            rows = resources.fetch_by_stack(connection, child.id)
            record = templates.fetch(connection, child.raw_template_id)
            files = {} if record is None else templates.fetch_files(connection, record)
            return rows, None if record is None else record.template, files

        rows, document, files = await self._parts.database.read(unit)
        return members_of(rows, document), files

    async def _store(self, template: Template) -> TemplateId:
        def unit(connection: Connection) -> TemplateId:
            return templates.insert(
                connection, template.document, template.environment.stored(), template.files
            ).id

        return await self._parts.database.transaction(unit)

    async def _discard(self, template_id: TemplateId) -> None:
        await self._parts.database.transaction(
            lambda connection: templates.delete_unreferenced(connection, [template_id])
        )

    # --- calls -----------------------------------------------------------------------------

    async def _fetch(self, child_id: StackId) -> StackRecord | None:
        return await self._parts.database.read(
            lambda connection: stacks.fetch(connection, child_id, with_deps=False)
        )

    async def _call(self, method: str, arguments: Mapping[str, Any]) -> Any:
        contract = ENGINE_METHODS[method]
        context = await self._parts.credentials.context_for(self._stack)
        return await self._parts.bus.call(
            Target(ENGINE.topic, version=contract.version),
            method,
            contract.request(**arguments),
            replace(context, project_id=self._stack.tenant),
            timeout_seconds=CALL_SECONDS,
        )


def _identity(stack: StackRecord) -> dict[str, str]:
    return HeatIdentifier(stack.tenant, stack.name, stack.id).to_dict()
