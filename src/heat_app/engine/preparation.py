"""What a create and an update check before anything is stored, in Heat's order; previews too.

Source: rules/e-identity.md#1-3, #25, rules/h-updates.md#26-28.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from heat_app.engine.arguments import StackOptions
from heat_app.engine.drafts import (
    Sources,
    check_resource_count,
    check_template,
    new_template,
    patched_template,
    stored_template,
)
from heat_app.engine.lookup import stack_of_identity
from heat_app.engine.ports import Parts
from heat_app.engine.tree_counts import TreeCounts
from heat_core.convergence.evaluation import class_of
from heat_core.errors import (
    EntityNotFound,
    Forbidden,
    ImmutableParameterModified,
    MissingCredentialError,
    RequestLimitExceeded,
    StackExists,
)
from heat_core.rpc import RequestContext
from heat_core.stack import (
    StackDefinition,
    StackId,
    StackRecord,
    TemplateId,
    TemplateRecord,
    check_stack_name,
)
from heat_core.template import Template
from heat_io.database import resources, stack_lists, stacks, templates
from heat_io.database import tags as stack_tags
from heat_io.patience import PATIENCE_SECONDS
from heat_io.sandbox.evaluation import evaluate


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The arguments that a create, an update and their previews have in common."""

    template: Mapping[str, Any] | None
    params: Mapping[str, Any] | None
    files: Mapping[str, str] | None
    args: Mapping[str, Any]
    environment_files: Sequence[str] | None = None
    files_container: str | None = None
    template_id: int | None = None

    @property
    def sources(self) -> Sources:
        """NotSupported for files in a Swift container."""
        return Sources.of_request(
            self.template,
            self.params,
            self.files,
            self.environment_files,
            self.files_container,
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a stack is to become, checked."""

    template: Template
    definition: StackDefinition


@dataclass(frozen=True, slots=True)
class Current:
    """A stack as it is: its row, its template's, the template's files, its tags."""

    stack: StackRecord
    template: TemplateRecord
    files: Mapping[str, str]
    tags: tuple[str, ...]


class Preparation:
    """The checks of one engine. Nothing here changes anything."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._trees = TreeCounts(parts.database)

    # --- create ------------------------------------------------------------------------------

    async def new_stack(
        self,
        context: RequestContext,
        stack_name: str,
        request: Request,
        *,
        stack_id: str,
        owner_id: StackId | None = None,
    ) -> Wanted:
        """A stack that may be made. StackExists, RequestLimitExceeded, StackValidationFailed."""
        if request.template_id is not None:
            template = await self.stored(TemplateId(request.template_id))
        else:
            template = await evaluate(new_template, request.sources)
        await self._check_room(context, stack_name)
        check_template(template, self._parts.settings)
        if owner_id is None:
            check_stack_name(stack_name)
        else:
            await self._check_tree(owner_id, template)
        definition = await evaluate(
            _define, template, stack_name, stack_id, context.project_id or ""
        )
        await evaluate(self.check_types, context, definition)
        await evaluate(self._check_password, context, definition)
        await self._parts.validator.validate(
            context, definition, patience_seconds=_patience_seconds(owner_id)
        )
        return Wanted(template, definition)

    async def _check_room(self, context: RequestContext, stack_name: str) -> None:
        """StackExists or RequestLimitExceeded, before anything is looked at more closely."""
        settings = self._parts.settings
        tenant = context.project_id or ""

        def unit(connection: Connection) -> tuple[bool, int]:
            taken = stacks.fetch_by_name(connection, tenant, str(stack_name)) is not None
            return taken, stack_lists.count_live(connection, tenant, settings.hidden_stack_tags)

        taken, count = await self._parts.database.read(unit)
        if taken:
            raise StackExists(stack_name=stack_name)
        limit = settings.max_stacks_per_tenant
        if not context.is_admin and 0 <= limit <= count:
            raise RequestLimitExceeded(
                message=(
                    f"You have reached the maximum stacks per tenant, {limit}. "
                    "Please delete some stacks."
                )
            )

    # --- update ------------------------------------------------------------------------------

    async def current(self, context: RequestContext, stack_identity: Mapping[str, Any]) -> Current:
        """The stack as it is. EntityNotFound."""

        def unit(connection: Connection) -> Current:
            stack = stack_of_identity(connection, context, stack_identity)
            row = templates.fetch(connection, stack.raw_template_id)
            if row is None:
                raise EntityNotFound(entity="Template", name=str(stack.raw_template_id))
            tags = stack_tags.fetch(connection, stack.id)
            return Current(stack, row, templates.fetch_files(connection, row), tuple(tags))

        return await self._parts.database.read(unit)

    async def changed_stack(
        self, context: RequestContext, current: Current, request: Request
    ) -> Wanted:
        """What the stack may be updated to. ImmutableParameterModified, and as `new_stack`."""
        stack = current.stack
        if request.template_id is not None:
            template = await self.stored(TemplateId(request.template_id))
        elif request.args.get("existing"):
            cleared = request.args.get("clear_parameters") or ()
            template = await evaluate(
                patched_template, current.template, current.files, request.sources, cleared
            )
        else:
            template = await evaluate(new_template, request.sources)
        check_resource_count(template, self._parts.settings)
        if stack.owner_id is not None:
            await self._check_tree(stack.owner_id, template, stack.id)
        StackOptions.from_args(request.args)
        definition = await evaluate(_define, template, stack.name, stack.id, stack.tenant)
        earlier = await self._parts.definitions.for_stack(stack)
        changed = earlier.parameters.immutable_changed(
            definition.parameters, template.environment.parameters
        )
        if changed:
            raise ImmutableParameterModified(*changed)
        await evaluate(self.check_types, context, definition)
        await evaluate(self._check_password, context, definition)
        await self._parts.validator.validate(
            context, definition, patience_seconds=_patience_seconds(stack.owner_id)
        )
        return Wanted(template, definition)

    async def _check_tree(
        self, owner_id: StackId, template: Template, replaced: StackId | None = None
    ) -> None:
        """RequestLimitExceeded when the tree above has no room for a nested stack's resources.

        An update's resources count for those that the stack has already.
        """

        def unit(connection: Connection) -> tuple[StackId, int]:
            there = 0 if replaced is None else resources.count_of(connection, replaced)
            return stacks.root_of(connection, owner_id), there

        root_id, there = await self._parts.database.read(unit)
        await self._trees.check_room(
            root_id,
            self._parts.settings.stack_limits,
            adding=len(template.resources),
            instead_of=there,
        )

    # --- shared ------------------------------------------------------------------------------

    def check_types(self, context: RequestContext, definition: StackDefinition) -> None:
        """Forbidden for the first type that policy keeps from the caller."""
        for type_name in sorted({one.type for one in definition.resources.values()}):
            if not self._parts.allows_type(type_name, context):
                raise Forbidden(action=type_name)

    def _check_password(self, context: RequestContext, definition: StackDefinition) -> None:
        """MissingCredentialError for a stack that must act later on, and no password to do so.

        Only with deferred_auth_method "password" (rules/k-locks-services.md#19).
        """
        if self._parts.settings.deferred_auth_method != "password":
            return
        if not any(
            class_of(resource.type, definition, name).needs_stored_credentials
            for name, resource in definition.resources.items()
        ):
            return
        for given, header in ((context.username, "X-Auth-User"), (context.password, "X-Auth-Key")):
            if given is None:
                raise MissingCredentialError(required=header)

    async def stored(self, template_id: TemplateId) -> Template:
        def unit(connection: Connection) -> tuple[TemplateRecord, dict[str, str]]:
            record = templates.fetch(connection, template_id)
            if record is None:
                raise EntityNotFound(entity="Template", name=str(template_id))
            return record, templates.fetch_files(connection, record)

        return stored_template(*await self._parts.database.read(unit))


def _patience_seconds(owner_id: StackId | None) -> float:
    """How long services that are away are waited for: a user wants to be told at once.

    The stack above asks for its nested stack once more when that takes long.
    """
    return 0.0 if owner_id is None else PATIENCE_SECONDS


def _define(template: Template, name: str, stack_id: str, project_id: str) -> StackDefinition:
    return StackDefinition.build(
        template, stack_name=name, stack_id=stack_id, project_id=project_id
    )
