"""Nested stacks, as the resources that own them see them.

A child is made and changed by RPC to any engine, like every other stack; how far it is is read from
the database. A call may time out after it worked, or because the engine that took it is dead, so
it is repeated after a look whether it worked: for a new child by its owner and its name.

To cut off what a child does is no call: it names no traversal, so one that comes late would cut off
what the next holder of the resource has begun.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from heat_core.convergence.evaluation import Plan, view_of
from heat_core.convergence.node_step import PREEMPTED
from heat_core.errors import EntityNotFound, HeatException, StackExists
from heat_core.procedure import (
    CancelChild,
    CheckChild,
    ChildRequest,
    ChildState,
    CreateChild,
    DeleteChild,
    FindChild,
    LookAtChild,
    SurveyChild,
    UpdateChild,
)
from heat_core.resources.nested import Members, Surroundings
from heat_core.resources.nested.children import child_template_of, resource_of, surroundings_of
from heat_core.rpc import ENGINE_METHODS, RequestContext
from heat_core.stack import HeatIdentifier
from heat_core.stack.ids import StackId, TemplateId
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits
from heat_core.stack.naming import physical_resource_name, short_id
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_core.template import Template
from heat_io.database import CommitUnknown, Database, resources, services, stacks, templates
from heat_io.drivers.nested_reading import members_of
from heat_io.drivers.node_rows import holds_as
from heat_io.drivers.ports import CredentialsSource, EntropySource
from heat_io.messaging import ENGINE, Bus, CallTimeout, Target
from heat_io.sandbox.evaluation import evaluate

log = logging.getLogger(__name__)

CALL_SECONDS = 30.0
CALL_ATTEMPTS = 3
"""who dies with a call never answers it; all attempts together fit into one unit"""


@dataclass(frozen=True, slots=True)
class ChildParts:
    """What acting on nested stacks takes."""

    database: Database
    bus: Bus
    credentials: CredentialsSource
    entropy: EntropySource
    stop: Callable[[StackRecord, RequestContext], Awaitable[bool]]
    """cut the running operation of a stack off, unless it has moved on (TraversalDriver.stop)"""
    limits: StackLimits = DEFAULT_LIMITS


class OnlyLooks:
    """Nested stacks for procedures that only look (a ChildStacks)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, request: ChildRequest) -> Any:
        if not isinstance(request, LookAtChild):
            raise AssertionError("a procedure that only looks asks a nested stack for more")
        return await _look_at(self._database, StackId(request.child_id))


async def _look_at(database: Database, child_id: StackId) -> ChildState | None:
    found = await database.read(lambda connection: stacks.states(connection, [child_id]))
    if child_id not in found:
        return None
    action, status, reason = found[child_id]
    if (action, status) == (Action.DELETE, Status.COMPLETE):
        return None
    return ChildState(action.value, status.value, reason or "")


class Children:
    """The nested stack of one claimed resource (a ChildStacks)."""

    def __init__(
        self,
        parts: ChildParts,
        stack: StackRecord,
        row: ResourceRecord,
        plan: Plan,
        context: RequestContext,
    ) -> None:
        """`context` is that of the visit that acts on the resource."""
        self._parts = parts
        self._stack = stack
        self._row = row
        self._plan = plan
        self._context = context

    async def ask(self, request: ChildRequest) -> Any:
        match request:
            case CreateChild():
                return await self._create(request)
            case FindChild():
                return await self._find()
            case UpdateChild():
                await self._update(request)
            case DeleteChild(child_id):
                await self._call_on(StackId(child_id), "delete_stack")
            case CheckChild(child_id):
                await self._call_on(StackId(child_id), "stack_check")
            case CancelChild(child_id):
                await self._cancel(StackId(child_id))
            case SurveyChild(child_id):
                return await self._survey(None if child_id is None else StackId(child_id))
            case LookAtChild(child_id):
                return await _look_at(self._parts.database, StackId(child_id))
        return None

    @property
    def _name(self) -> str:
        limit = self._plan.resource_class.physical_name_limit
        return physical_resource_name(self._stack.name, self._row.name, self._row.uuid, limit)

    async def _create(self, request: CreateChild) -> str:
        found = await self._find()
        if found is not None:
            return found
        template, timeout = await self._template(None, request)
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
        return await self._ask_to_create(arguments, template_id)

    async def _ask_to_create(self, arguments: Mapping[str, Any], template_id: TemplateId) -> str:
        for attempts_left in reversed(range(CALL_ATTEMPTS)):
            try:
                answer = await self._call("create_stack", arguments)
            except CallTimeout:
                # It was made, or it is being made, or the engine that was asked is dead.
                found = await self._find()
                if found is not None:
                    return found
                if not attempts_left:
                    raise
            except HeatException as error:
                found = await self._find() if isinstance(error, StackExists) else None
                if found is not None:
                    return found
                await self._discard(template_id)
                raise
            else:
                return str(answer["stack_id"])
        raise AssertionError("the last attempt gives a nested stack or an error")

    async def _find(self) -> str | None:
        def unit(connection: Connection) -> StackRecord | None:
            return stacks.fetch_by_name_and_owner(
                connection, self._stack.tenant, self._name, self._stack.id
            )

        found = await self._parts.database.read(unit)
        return None if found is None else found.id

    async def _update(self, request: UpdateChild) -> None:
        child_id = StackId(request.child_id)
        child = await self._fetch(child_id)
        if child is None:
            raise EntityNotFound(entity="Stack", name=child_id)
        template, timeout = await self._template(child, request)
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
        for attempts_left in reversed(range(CALL_ATTEMPTS)):
            try:
                await self._call("update_stack", arguments)
            except CallTimeout:
                after = await self._fetch(child_id)
                if after is not None and after.raw_template_id == template_id:
                    return
                if after is None or not attempts_left:
                    raise
            except HeatException:
                await self._discard(template_id)
                raise
            else:
                return

    async def _call_on(self, child_id: StackId, method: str) -> None:
        """Start an operation that says nothing but which stack; one that is gone is no error."""
        for attempts_left in reversed(range(CALL_ATTEMPTS)):
            child = await self._fetch(child_id)
            if child is None:
                return
            try:
                await self._call(method, {"stack_identity": _identity(child)})
            except EntityNotFound:
                return
            except CallTimeout:
                # It may have begun; to begin it once more does no harm.
                if not attempts_left:
                    raise
            else:
                return

    async def _cancel(self, child_id: StackId) -> None:
        """Nothing that could be cut off is no error; nor is another holder of the resource.

        What the child does then is that one's doing.
        """

        def unit(connection: Connection) -> StackRecord | None:
            child = stacks.fetch(connection, child_id, with_deps=False)
            row = resources.fetch(connection, self._row.id)
            return child if row is not None and holds_as(row, self._row) else None

        child = await self._parts.database.read(unit)
        if child is None or child.status is not Status.IN_PROGRESS or child.action not in PREEMPTED:
            return
        if child.convergence:
            await self._parts.stop(child, self._context)

    # --- the template ----------------------------------------------------------------------

    async def _template(
        self, child: StackRecord | None, request: CreateChild | UpdateChild
    ) -> tuple[Template, int | None]:
        """What the nested stack is to be made of, and how long that may take in minutes."""
        earlier: Mapping[str, str] | None = None
        members = Members()
        if child is not None:
            if request.document is None:
                members = await self._members(child)
            earlier = await self._files(child)
        at = await self._surroundings(members)
        view = view_of(self._row, self._stack, self._plan.resource_class)
        resource = resource_of(at, view)

        def made() -> tuple[Template, int | None]:
            document = request.document
            if document is None:
                document = resource.child_template(at)
            template = child_template_of(resource, at, document, earlier_files=earlier)
            timeout = request.timeout_minutes
            return template, resource.timeout_minutes(at) if timeout is None else timeout

        return await evaluate(made)

    async def _survey(self, child_id: StackId | None) -> Surroundings:
        child = None if child_id is None else await self._fetch(child_id)
        return await self._surroundings(Members() if child is None else await self._members(child))

    async def _surroundings(self, members: Members) -> Surroundings:
        definition = self._plan.definition
        if definition is None:
            raise AssertionError("a nested stack needs the definition of its parent")
        return surroundings_of(
            definition,
            self._row.name,
            nodes=self._plan.nodes,
            members=members,
            new_name=self._new_name,
            active_engines=await self._parts.database.read(services.count_up),
            limits=self._parts.limits,
        )

    def _new_name(self) -> str:
        """A name that no member has had before."""
        # Only the first half of a UUID gets into its short form.
        return short_id(str(UUID(bytes=self._parts.entropy(8) + bytes(8), version=4)))

    async def _members(self, child: StackRecord) -> Members:
        def unit(
            connection: Connection,
        ) -> tuple[list[ResourceRecord], Mapping[str, Any] | None]:
            rows = resources.fetch_by_stack(connection, child.id)
            record = templates.fetch(connection, child.raw_template_id)
            return rows, None if record is None else record.template

        return members_of(*await self._parts.database.read(unit))

    async def _files(self, child: StackRecord) -> dict[str, str]:
        def unit(connection: Connection) -> dict[str, str]:
            record = templates.fetch(connection, child.raw_template_id)
            return {} if record is None else templates.fetch_files(connection, record)

        return await self._parts.database.read(unit)

    async def _store(self, template: Template) -> TemplateId:
        def unit(connection: Connection) -> TemplateId:
            return templates.insert(
                connection,
                template.document,
                template.environment.stored(),
                template.files,
                secret_parameters=template.hidden_parameters(),
            ).id

        while True:
            try:
                return await self._parts.database.transaction(unit)
            except CommitUnknown:
                # A template that nobody refers to does no harm; a resource must not fail for it.
                log.warning("a nested template is stored once more")

    async def _discard(self, template_id: TemplateId) -> None:
        try:
            await self._parts.database.transaction(
                lambda connection: templates.delete_unreferenced(connection, [template_id])
            )
        except CommitUnknown:
            log.warning("a nested template may be left over")

    # --- calls -----------------------------------------------------------------------------

    async def _fetch(self, child_id: StackId) -> StackRecord | None:
        return await self._parts.database.read(
            lambda connection: stacks.fetch(connection, child_id, with_deps=False)
        )

    async def _call(self, method: str, arguments: Mapping[str, Any]) -> Any:
        contract = ENGINE_METHODS[method]
        if not self._context.can_act:
            credentials = self._parts.credentials
            self._context = await credentials.context_for(self._stack, self._context)
        return await self._parts.bus.call(
            Target(ENGINE.topic, version=contract.version),
            method,
            contract.request(**arguments),
            replace(self._context, project_id=self._stack.tenant),
            timeout_seconds=CALL_SECONDS,
        )


def _identity(stack: StackRecord) -> dict[str, str]:
    return HeatIdentifier(stack.tenant, stack.name, stack.id).to_dict()
